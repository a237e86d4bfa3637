import type { JsonObject } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { mergeObject } from './merge-object.js';

/**
 * Strategic merge patch: a merge patch that merges lists as the schema says, with directives for what a merge cannot
 * say. See SPEC.md for the rules. Arguments are not changed; the result shares with the original what the patch does
 * not touch, and nothing with the patch.
 * @throws MalformedPatchError for directives that cannot be read, UnprocessablePatchError for what does not fit
 */
export function strategicMergePatch(schema: StructSchema, original: JsonObject, patch: JsonObject): JsonObject {
  return mergeObject(original, patch, schema);
}
