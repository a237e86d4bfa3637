import type { JsonObject } from '@orch/machinery';
import { equalJson, isObject } from '../../json-values.js';
import { managedFieldsOf, withManagedFields } from './metadata.js';

/**
 * Returns the written object with the timestamps of the stored one if they differ in timestamps only: then there is
 * nothing to write. An entry that was added or removed is a change, also when no field has another value.
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
    if (!isObject(old) || !isObject(now) || !sameMembers(old, now, TIME)) return written;
    changed ||= old.time !== now.time;
  }
  return changed && sameContent(stored, written) ? withManagedFields(written, before) : written;
}

const TIME = ['time'];

/** Whether the objects are equal except for ownership and resourceVersion. */
function sameContent(a: JsonObject, b: JsonObject): boolean {
  const [from, to] = [a.metadata, b.metadata];
  if (!isObject(from) || !isObject(to)) return false;
  return sameMembers(a, b, ['metadata']) && sameMembers(from, to, ['managedFields', 'resourceVersion']);
}

/** Whether two objects have equal members, except for some. An undefined member counts as absent. */
function sameMembers(a: JsonObject, b: JsonObject, except: readonly string[]): boolean {
  for (const name in b) if (b[name] !== undefined && a[name] === undefined && !except.includes(name)) return false;
  for (const name in a)
    if (a[name] !== undefined && !except.includes(name) && !equalJson(a[name], b[name])) return false;
  return true;
}
