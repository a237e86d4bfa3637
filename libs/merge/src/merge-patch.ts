import { type JsonValue, memberOf, setMember } from '@orch/machinery';
import { MalformedPatchError } from './errors.js';
import { isObject, withoutNulls } from './json-values.js';

/**
 * Applies a JSON merge patch (RFC 7386). Nulls are removed from new values, also inside lists; a list as the whole
 * patch replaces the document. The document becomes the result; the patch is not changed, and the result shares nothing
 * with it.
 * @throws MalformedPatchError for a patch that is neither an object nor a list
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return withoutNulls(patch);
  if (!isObject(patch)) throw new MalformedPatchError('not-a-patch', 'Invalid JSON Patch');
  return merged(document, patch);
}

/** With thousands of members every allocation counts: none is made that the result does not need. */
function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch) || !isObject(target)) return withoutNulls(patch);
  for (const name of Object.keys(patch)) {
    const change = patch[name];
    if (change === null) delete target[name];
    else if (typeof change === 'object') setMember(target, name, merged(memberOf(target, name), change));
    else if (change !== undefined) setMember(target, name, change);
  }
  return target;
}
