import type { ReadObject } from '@orch/codec';
import { badRequest, type JsonValue } from '@orch/machinery';
import type { ObjectModel } from '../served/object-model.js';

/** What a patch or an apply has made, as an object of its type. @throws StatusError 400 for values that no such object holds */
export function readMade(model: ObjectModel, value: JsonValue): ReadObject {
  try {
    return model.read(value);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : 'the patched object is malformed');
  }
}
