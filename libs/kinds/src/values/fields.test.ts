import { copy } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equal } from './equal.js';
import { type Json, takeFrom } from './fields.js';

const SEED = 11;

describe('equal', () => {
  it('holds for copies and fails for a change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (value, text) => {
        expect(equal(value, copy(value))).toBe(true);
        expect(equal({ a: value }, { a: [value, text] })).toBe(false);
      }),
      { seed: SEED },
    );
  });

  it.each([
    [{ a: [] }, {}, true],
    [{ a: null }, {}, true],
    [{ a: {} }, {}, false],
    [{ a: 1n }, { a: 1 }, true],
    [{ a: 2n ** 60n }, { a: 2n ** 60n + 1n }, false],
    [{ a: 0 }, {}, false],
    [{ a: '1' }, { a: 1 }, false],
    [[1, 2], [2, 1], false],
  ])('%#', (a, b, expected) => {
    expect(equal(a, b)).toBe(expected);
    expect(equal(b, a)).toBe(expected);
  });
});

describe('a member that is taken from another object', () => {
  it('may be called as what all objects inherit', () => {
    const [from, to] = [parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"b":1}}')];
    takeFrom(to, from, '__proto__');
    expect(Object.entries(to)).toEqual([['__proto__', { a: 1 }]]);
    takeFrom(to, {}, '__proto__');
    expect(Object.keys(to)).toEqual([]);
  });
});

const parsed = (text: string): Json => JSON.parse(text) as Json;
