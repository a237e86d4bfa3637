import { parseJson } from '@orch/codec';
import type { JsonValue } from '@orch/machinery';
import { Slices, turnFor } from '../decoding/turns.js';
import { itemsIn, memberIn, type Range } from './json-ranges.js';

/**
 * The answer of a webhook, with its objects read one at a time and turns for others in between: thousands at once would keep them waiting.
 * What is strange about it is left to the reader of the whole.
 * @throws JsonSyntaxError
 */
export async function readAnswer(body: Buffer): Promise<JsonValue> {
  await turnFor(body.length);
  const list = await objectsIn(body);
  if (!list) return parseJson(body).value;
  await turnFor(body.length);
  const items = itemsIn(body, list);
  await turnFor(body.length);
  if (!items) return parseJson(body).value;
  const slices = new Slices();
  const objects: JsonValue[] = [];
  for (const { from, to } of items) {
    objects.push(parseJson(body.subarray(from, to)).value);
    await slices.between();
  }
  const around = parseJson(Buffer.concat([body.subarray(0, list.from), NONE, body.subarray(list.to)])).value;
  (around as { response: { convertedObjects: JsonValue } }).response.convertedObjects = objects;
  return around;
}

const NONE = Buffer.from('[]');

async function objectsIn(body: Buffer): Promise<Range | undefined> {
  const response = memberIn(body, { from: 0, to: body.length }, 'response');
  await turnFor(body.length);
  return response && memberIn(body, response, 'convertedObjects');
}
