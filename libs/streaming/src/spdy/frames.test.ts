import { constants, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { dataHead, openingFrame } from './frames.js';

/** The beginning of a dictionary, which frames do not refer to. */
const dictionary = Buffer.from('options head post');

it('headers of several frames are one compressed stream, which can be read after each frame', () => {
  const frames = [
    openingFrame(1, { streamtype: 'error' }, true),
    openingFrame(3, { streamtype: 'stdin', other: 'ü' }, false),
  ];
  const heads = frames.map((frame) => [frame.subarray(0, 5).toString('hex'), frame.readUIntBE(5, 3) + 8]);
  expect(heads).toEqual(frames.map((frame) => ['8003000100', frame.length]));
  expect(frames.map((frame) => frame.readUInt32BE(8))).toEqual([1, 3]);
  const blocks = frames.map((frame) => frame.subarray(18));
  const read = (upTo: number) =>
    inflateSync(Buffer.concat(blocks.slice(0, upTo)), { dictionary, finishFlush: constants.Z_SYNC_FLUSH });
  const first = Buffer.from('\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05error');
  expect(read(1)).toEqual(first);
  const second = Buffer.from('\0\0\0\x02\0\0\0\x0astreamtype\0\0\0\x05stdin\0\0\0\x05other\0\0\0\x02ü');
  expect(read(2)).toEqual(Buffer.concat([first, second]));
});

it('a frame of data has its stream, its flags and its length in front', () => {
  expect(dataHead(5, 1, 0x01_02_03).toString('hex')).toBe('0000000501010203');
});
