import { expect, test } from 'vitest';
import { frames } from './frames.js';

const frameOf = (text: string): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(text.length);
  return Buffer.concat([head, Buffer.from(text)]);
};
const texts = ['a', 'two', 'x'.repeat(300), 'last'];
const stream = Buffer.concat(texts.map(frameOf));

async function read(pieces: readonly Buffer[]): Promise<string[]> {
  const seen: string[] = [];
  const source = (async function* () {
    yield* pieces;
  })();
  for await (const frame of frames(source)) seen.push(frame.toString());
  return seen;
}

test('frames are the same wherever the stream is cut into pieces', async () => {
  for (let at = 0; at <= stream.length; at++)
    expect(await read([stream.subarray(0, at), stream.subarray(at)]), `cut at ${at}`).toEqual(texts);
  expect(await read([...stream].map((byte) => Buffer.of(byte)))).toEqual(texts);
  expect(await read([])).toEqual([]);
});

test.each([
  ['a stream that ends within a frame', stream.subarray(0, -1), 'ended in the middle'],
  ['a stream that ends within a length', stream.subarray(0, 2), 'ended in the middle'],
  ['a frame longer than any event', Buffer.of(0x7f, 0, 0, 0), 'is longer than'],
  ['a frame without content', Buffer.of(0, 0, 0, 0, 1), 'without content'],
])('%s is an error', async (_, bytes, message) => {
  await expect(read([bytes])).rejects.toThrow(message);
});
