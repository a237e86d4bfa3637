import type { ReadObject } from '@orch/codec';
import { badRequest, copy, type JsonValue, StatusError } from '@orch/machinery';
import type { ObjectModel } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';

/**
 * Reads the result of a patch or an apply as an object of its kind.
 * @throws StatusError what `refused` makes of values that no such object holds; default 400
 */
export async function readMade(
  model: ObjectModel,
  value: JsonValue,
  refused: (message: string) => StatusError = badRequest,
): Promise<ReadObject> {
  try {
    return await inSlices(model.read(model.struct ? value : apart(value)));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw refused(error instanceof Error ? error.message : 'the patched object is malformed');
  }
}

/**
 * Copies a value, which may share parts with the patch, as the patch is applied again when the write is overtaken.
 * Metadata is not copied.
 */
function apart(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { metadata, ...rest } = value;
  return { ...copy(rest), ...(metadata !== undefined && { metadata }) };
}
