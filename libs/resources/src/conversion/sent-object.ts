import { stringifyJson } from '@orch/codec';
import type { ApiObject } from '@orch/machinery';

/** An object to convert. */
export interface Sent {
  /** Type and metadata of the object, which the response is compared with; the rest may be left out. Not modified. */
  readonly object: ApiObject;
  /** JSON of the whole object. */
  readonly text: Buffer;
}

/** Returns an object to be sent, with its whole JSON. */
export const sentWhole = (object: ApiObject): Sent => ({ object, text: Buffer.from(stringifyJson(object)) });
