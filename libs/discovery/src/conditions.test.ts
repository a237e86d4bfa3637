import { describe, expect, it } from 'vitest';
import { hasAlready, hasAny, rangeOf, wantsOther } from './conditions.js';

const TAG = '"a"';
const asking = (headers: Record<string, string>, method = 'GET') => ({ method, headers });

describe('a client has the document already', () => {
  it.each([
    ['"a"', true, false],
    ['W/"a"', true, false],
    ['"b", W/"a" ,"c"', true, false],
    ['"b"', false, false],
    ['a', false, false],
    ['', false, false],
    ['*', false, true],
    [' * ', false, true],
    ['"b", *', false, false],
  ])('If-None-Match: %s', (header, this_, any) => {
    const req = asking({ 'if-none-match': header });
    expect([hasAlready(req, TAG), hasAny(req)]).toEqual([this_, any]);
  });

  it('only where it reads it, and says so', () => {
    for (const [method, reads] of [
      ['HEAD', true],
      ['POST', false],
    ] as const) {
      expect(hasAlready(asking({ 'if-none-match': TAG }, method), TAG)).toBe(reads);
      expect(hasAny(asking({ 'if-none-match': '*' }, method))).toBe(reads);
    }
    expect([hasAlready(asking({}), TAG), hasAny(asking({}))]).toEqual([false, false]);
  });
});

it.each([
  [undefined, false],
  ['"a"', false],
  ['"b", "a"', false],
  ['*', false],
  ['"b"', true],
  ['', true],
])('If-Match: %s wants another document: %s', (header, other) => {
  expect(wantsOther(asking(header === undefined ? {} : { 'if-match': header }), TAG)).toBe(other);
});

describe('of a document of 10 bytes', () => {
  it.each<[string, [from: number, to: number] | 'none' | undefined]>([
    ['bytes=0-0', [0, 0]],
    ['bytes=0-9', [0, 9]],
    ['bytes=0-10', [0, 9]],
    ['bytes=9-', [9, 9]],
    ['bytes= 2-3 ', [2, 3]],
    ['bytes=-1', [9, 9]],
    ['bytes=-10', [0, 9]],
    ['bytes=-11', [0, 9]],
    ['bytes=0-99999999999999999999999', [0, 9]],
    ['bytes=10-', 'none'],
    ['bytes=10-12', 'none'],
    ['bytes=5-4', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=-', 'none'],
    ['bytes=', 'none'],
    ['bytes=x', 'none'],
    ['bytes=1-x', 'none'],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
    ['', undefined],
  ])('Range: %s', (range, expected) => {
    const found = rangeOf(asking({ range }), TAG, 10);
    expect(typeof found === 'object' ? [found.from, found.to] : found).toEqual(expected);
  });

  it('parts are of one document, and of what is read', () => {
    const range = 'bytes=0-1';
    expect(rangeOf(asking({ range, 'if-range': TAG }), TAG, 10)).toEqual({ from: 0, to: 1 });
    expect(rangeOf(asking({ range, 'if-range': '"b"' }), TAG, 10)).toBeUndefined();
    expect(rangeOf(asking({ range, 'if-range': 'W/"a"' }), TAG, 10)).toBeUndefined();
    expect(rangeOf(asking({ range }, 'HEAD'), TAG, 10)).toBeUndefined();
    expect(rangeOf(asking({}), TAG, 10)).toBeUndefined();
  });

  it('of an empty one there is no part', () => {
    for (const range of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) expect(rangeOf(asking({ range }), TAG, 0)).toBe('none');
  });
});
