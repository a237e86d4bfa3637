import { describe, expect, it } from 'vitest';
import { weightOf } from './pattern-weight.js';

describe('the weight of a pattern', () => {
  it.each([
    ['^[a-z]{1,63}$', 66],
    ['(a{100}){10}', 1021],
    ['((((a?){10}){10}){10})', 4223],
    ['[]a{9}]\\{9\\}', 6],
    ['a{,9}', 6],
  ])('is about as many steps as it has when it is written out: %s, %i', (pattern, weight) => {
    expect(weightOf(pattern)).toBe(weight);
  });

  it.each(['[', '[:a', '[^', '[\\\\', '\\p{', '\\x{'])(
    'is found in one pass, however many open what nothing closes: %j',
    (open) => {
      expect(weightOf(open.repeat(200_000))).toBeGreaterThan(1);
    },
  );
});
