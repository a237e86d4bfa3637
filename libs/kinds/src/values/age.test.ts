import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { age, humanDuration } from './age.js';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

describe('humanDuration', () => {
  it.each([
    [-5 * S, '<invalid>'],
    [-S - 1, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [119 * S + 999, '119s'],
    [2 * M, '2m'],
    [5 * M + 32 * S, '5m32s'],
    [10 * M, '10m'],
    [179 * M + 59 * S, '179m'],
    [3 * H, '3h'],
    [7 * H + 59 * M, '7h59m'],
    [8 * H, '8h'],
    [47 * H, '47h'],
    [2 * D, '2d'],
    [3 * D + 4 * H, '3d4h'],
    [8 * D, '8d'],
    [729 * D, '729d'],
    [2 * Y, '2y'],
    [2 * Y + 3 * D, '2y3d'],
    [8 * Y + 9 * D, '8y'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });

  it('never shows more than two units', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * Y }), (milliseconds) =>
        /^(\d+[smhdy]){1,2}$/.test(humanDuration(milliseconds)),
      ),
      { seed: 7 },
    );
  });
});

it('ages what has no time as unknown', () => {
  expect(age(undefined, 0)).toBe('<unknown>');
  expect(age(null, 0)).toBe('<unknown>');
  expect(age('1970-01-01T00:00:00Z', 90 * M)).toBe('90m');
});
