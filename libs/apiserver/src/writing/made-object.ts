import type { ReadObject } from '@orch/codec';
import { badRequest, type JsonValue, StatusError } from '@orch/machinery';
import { inSlices } from '../decoding/turns.js';
import type { ObjectModel } from '../served/object-model.js';

/** What a patch or an apply has made, as an object of its type. @throws StatusError 400 for values that no such object holds */
export async function readMade(model: ObjectModel, value: JsonValue): Promise<ReadObject> {
  try {
    return await inSlices(model.read(value));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(error instanceof Error ? error.message : 'the patched object is malformed');
  }
}
