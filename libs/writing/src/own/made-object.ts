import type { ReadObject } from '@orch/codec';
import { badRequest, copy, type JsonValue, StatusError } from '@orch/machinery';
import type { ObjectModel } from '@orch/resources';
import { inSlices } from '@orch/runtime/work';

/** What a patch or an apply has made, as an object of its type. @throws StatusError what `refused` makes of values that no such object holds; default 400 */
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

/** What was made may share with what was said, of which it is made anew where the write is overtaken. Metadata is left as it is. */
function apart(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { metadata, ...rest } = value;
  return { ...copy(rest), ...(metadata !== undefined && { metadata }) };
}
