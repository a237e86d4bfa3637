import { expect, it } from 'vitest';
import { patchBytes } from './patch-bytes.js';

it.each([
  ['', ''],
  ['YWJj', 'abc'],
  ['YWI=', 'ab'],
  ['YQ==', 'a'],
  ['YW\r\nJj\n', 'abc'],
])('%j is read', (text, bytes) => {
  expect(patchBytes(text).toString()).toBe(bytes);
});

// What base64.StdEncoding of Go says.
it.each([
  ['YWJ', 0],
  ['YWJjYW', 4],
  ['YWJj-_8=', 4],
  ['YW Jj', 2],
  ['YWI', 0],
  ['YQ=', 3],
  ['YQ=a', 2],
  ['YWJj=', 4],
  ['Y===', 1],
  ['YWI=YWJj', 4],
  ['YQ==YQ==', 4],
  ['%%', 0],
])('%j is refused at byte %d', (text, at) => {
  expect(() => patchBytes(text)).toThrow(`illegal base64 data at input byte ${at}`);
});
