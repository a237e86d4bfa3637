import { parseJson } from '@orch/codec';
import type { JsonValue } from '@orch/machinery';
import { Slices, turnFor } from '@orch/runtime/work';
import { itemsIn, memberIn, type TextSpan } from '../decoding/json-ranges.js';

/** Limits on a response. */
interface AnswerLimits {
  /** Number of objects that were sent; a response with another number is not read. */
  readonly objects: number;
  /** Maximum number of values in one object, and in the rest of the response: scalars, objects and lists together. */
  readonly maxValues: number;
  /** Maximum bytes of one object, and of the rest of the response. */
  readonly maxBytes: number;
}

/**
 * Reads the answer of a webhook, its objects one at a time and with other work running in between: thousands at once
 * would delay it. Other errors are left to the reader of the whole. If it has more or fewer objects than were sent,
 * only the number is reported.
 * @throws JsonSyntaxError, TooManyValuesError
 */
export async function readAnswer(body: Buffer, { objects: sent, ...limits }: AnswerLimits): Promise<JsonValue> {
  await turnFor(body.length);
  const list = await objectsIn(body);
  if (!list) return parseJson(body, limits).value;
  await turnFor(body.length);
  const found = itemsIn(body, list, sent);
  await turnFor(body.length);
  if (!found) return parseJson(body, limits).value;
  const slices = new Slices();
  const objects = new Array<JsonValue>(found.count);
  for (const [at, { from, to }] of found.count === sent ? found.items.entries() : []) {
    objects[at] = parseJson(body.subarray(from, to), limits).value;
    await slices.between();
  }
  const around = parseJson(Buffer.concat([body.subarray(0, list.from), NONE, body.subarray(list.to)]), limits).value;
  (around as { response: { convertedObjects: JsonValue } }).response.convertedObjects = objects;
  return around;
}

const NONE = Buffer.from('[]');

async function objectsIn(body: Buffer): Promise<TextSpan | undefined> {
  const response = memberIn(body, { from: 0, to: body.length }, 'response');
  await turnFor(body.length);
  return response && memberIn(body, response, 'convertedObjects');
}
