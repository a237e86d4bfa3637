import { expect, it } from 'vitest';
import { freeMemory } from './free-memory.js';

it('bytes in memory of their own are freed at once, and nothing is there any more for whoever still looks', () => {
  const bytes = Buffer.allocUnsafeSlow(64 << 10);
  const view = bytes.subarray(0, 100);
  freeMemory(bytes);
  expect([bytes.length, view.length]).toEqual([0, 0]);
  expect(() => bytes.readInt32BE(0)).toThrow(RangeError);
  freeMemory(bytes);
});

it.each([
  ['a part of more', Buffer.alloc(64 << 10, 'x').subarray(1)],
  ['memory that threads share', Buffer.from(new SharedArrayBuffer(64 << 10))],
  ['few', Buffer.alloc(100, 'x')],
])('of bytes that are %s nothing is freed', (_, bytes) => {
  const { length } = bytes;
  freeMemory(bytes);
  expect(bytes).toHaveLength(length);
});
