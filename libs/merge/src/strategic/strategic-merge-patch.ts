import type { JsonObject } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import { mergeObject } from './merge.js';

/**
 * Applies a strategic merge patch: a merge patch that merges lists by their schema, with directives for what a merge
 * cannot express. See SPEC.md for the rules. The original becomes the result, and must not be used when this throws;
 * the patch is not changed, and the result shares nothing with it.
 * @throws MalformedPatchError for invalid directives, UnprocessablePatchError for what does not fit
 */
export function strategicMergePatch(schema: StructSchema, original: JsonObject, patch: JsonObject): JsonObject {
  return mergeObject(original, patch, schema);
}
