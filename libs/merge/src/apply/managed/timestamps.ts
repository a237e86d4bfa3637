import type { JsonObject } from '@orch/machinery';
import { equalJson, isObject } from '../../json-values.js';
import { managedFieldsOf, withManagedFields } from './metadata.js';

/**
 * The written object with the times of the stored one, where times are all that differs: then nothing is to be written. An
 * entry that came or went is a change, also when no field has another value.
 */
export function withoutIdleTimes(stored: JsonObject, written: JsonObject): JsonObject {
  const [before, after] = [managedFieldsOf(stored), managedFieldsOf(written)];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length || after.length === 0) {
    return written;
  }
  let changed = false;
  for (let i = 0; i < after.length; i++) {
    const [old, now] = [before[i], after[i]];
    if (old === now) continue;
    if (!isObject(old) || !isObject(now) || !equalJson({ ...old, time: null }, { ...now, time: null })) return written;
    changed ||= old.time !== now.time;
  }
  return changed && equalJson(content(stored), content(written)) ? withManagedFields(written, before) : written;
}

/** The object itself: neither who owns what, nor the version that a writer names. */
function content(object: JsonObject): JsonObject {
  const { metadata, ...rest } = withManagedFields(object, undefined);
  const { resourceVersion: _, ...meta } = metadata as JsonObject;
  return { ...rest, metadata: meta };
}
