import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { MalformedPatchError } from './errors.js';
import { isObject, withoutNulls } from './json-values.js';

/**
 * JSON merge patch (RFC 7386). Nulls are taken out of whatever is new, also inside lists; a list as the whole patch
 * replaces the document. The document is not changed; the result shares with it what the patch does not touch.
 * @throws MalformedPatchError for a patch that is neither an object nor a list
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return withoutNulls(patch);
  if (!isObject(patch)) throw new MalformedPatchError('not-a-patch', 'Invalid JSON Patch');
  return merged(document, patch);
}

function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch) || !isObject(target)) return withoutNulls(patch);
  const result: JsonObject = { ...target };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete result[name];
    else if (change !== undefined) {
      setMember<JsonValue | undefined>(result, name, merged(memberOf(result, name), change));
    }
  }
  return result;
}
