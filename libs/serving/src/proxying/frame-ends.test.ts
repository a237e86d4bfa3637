import { describe, expect, it } from 'vitest';
import { webSocketMessage } from '../watching/frames.js';
import { type FrameEnds, LineEnds, protobufEnds, webSocketEnds } from './frame-ends.js';

const SIZES = [0, 1, 2, 125, 126, 127, 300, 65_535, 65_536, 70_000];

function delimited(payload: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  return Buffer.concat([head, payload]);
}

const STREAMS: readonly [string, () => FrameEnds, (payload: Buffer) => Buffer][] = [
  ['lines', () => new LineEnds(), (payload) => Buffer.concat([payload, Buffer.from('\n')])],
  ['protobuf', protobufEnds, delimited],
  ['WebSockets', webSocketEnds, (payload) => webSocketMessage('binary', payload)],
];

describe.each(STREAMS)('ends of frames of %s', (_name, make, frame) => {
  const frames = SIZES.map((size) => frame(Buffer.alloc(size, 'x')));
  const stream = Buffer.concat(frames);
  let total = 0;
  const borders = frames.map(({ length }) => {
    total += length;
    return total;
  });

  it.each([1, 2, 3, 7, 100, 4096, 65_537, stream.length])('are found in pieces of %i bytes', (size) => {
    const ends = make();
    const wrong: number[] = [];
    for (let at = 0; at < stream.length; at += size) {
      const piece = stream.subarray(at, at + size);
      const last = borders.findLast((border) => border > at && border <= at + piece.length) ?? at;
      const end = ends.take(piece);
      if (end !== last - at || ends.whole !== borders.includes(at + piece.length)) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });
});
