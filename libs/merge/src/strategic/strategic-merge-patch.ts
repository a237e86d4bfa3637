import type { JsonObject } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { mergeObject } from './merge-object.js';

/**
 * Strategic merge patch: a merge patch that merges lists as the schema says, with directives for what a merge cannot
 * say. See SPEC.md for the rules. The original becomes the result, and is of no use when this throws; the patch is not
 * changed, and the result shares nothing with it.
 * @throws MalformedPatchError for directives that cannot be read, UnprocessablePatchError for what does not fit
 */
export function strategicMergePatch(schema: StructSchema, original: JsonObject, patch: JsonObject): JsonObject {
  return mergeObject(original, patch, schema);
}
