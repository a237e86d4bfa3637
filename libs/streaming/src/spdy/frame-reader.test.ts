import { expect, it } from 'vitest';
import { FrameReader } from './frame-reader.js';
import { controlFrame, dataHead, FIN, PING, RST_STREAM, SYN_REPLY } from './frames.js';

const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
};

const data = (id: number, flags: number, text = ''): Buffer =>
  Buffer.concat([dataHead(id, flags, text.length), Buffer.from(text)]);

/** What a reader says of bytes that come in pieces of a size. */
function read(bytes: Buffer, size: number): string[] {
  const said: string[] = [];
  const reader = new FrameReader({
    data: (id, piece) => said.push(`${id} ${piece}`),
    ended: (id) => said.push(`${id} ended`),
    ping: (payload) => said.push(`ping ${payload.readUInt32BE()}`),
  });
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size));
  return said;
}

const FRAMES = Buffer.concat([
  controlFrame(SYN_REPLY, 0, Buffer.concat([u32(1), Buffer.alloc(300, 'h')])),
  data(5, 0, 'ab'),
  controlFrame(PING, 0, u32(2)),
  data(5, FIN, 'c'),
  data(3, FIN),
  data(7, 0),
  controlFrame(RST_STREAM, 0, u32(7, 5)),
  controlFrame(SYN_REPLY, FIN, u32(9)),
  controlFrame(4, 1, Buffer.alloc(12)),
  controlFrame(7, 0, u32(0, 0)),
  controlFrame(99, 0, Buffer.alloc(0)),
  data(1, 0, 'z'),
]);

it('frames are read whole', () => {
  expect(read(FRAMES, FRAMES.length)).toEqual([
    ...['5 ab', 'ping 2', '5 c', '5 ended', '3 ended', '7 ended', '9 ended', '1 z'],
  ]);
});

it.each([1, 2, 3, 7, 8, 9, 11])('frames are read from pieces of %i bytes, and data handed on as it comes', (size) => {
  const whole = read(FRAMES, size).join('\n').replace('5 a\n5 b', '5 ab');
  expect(whole.split('\n')).toEqual(read(FRAMES, FRAMES.length));
});

it('what does not fit a control frame says nothing', () => {
  expect(read(Buffer.concat([controlFrame(PING, 0, Buffer.alloc(3)), data(1, 0, 'a')]), 100)).toEqual(['1 a']);
});
