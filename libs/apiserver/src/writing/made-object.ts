import { readObject } from '@orch/codec';
import { badRequest } from '@orch/machinery';

/** What a patch or an apply has made, as an object of its type. @throws StatusError 400 for values that no such object holds */
export const readMade: typeof readObject = (schema, value) => {
  try {
    return readObject(schema, value);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : 'the patched object is malformed');
  }
};
