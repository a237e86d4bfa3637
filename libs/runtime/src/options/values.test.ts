import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatDuration,
  parseBool,
  parseBytes,
  parseDuration,
  parseInteger,
  ValueError,
} from './values.js';

describe('durations', () => {
  test.each([
    ['5m0s', 300_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['.5s', 500],
    ['0', 0],
    ['-2s', -2000],
    ['2us', 0.002],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBeCloseTo(ms, 9));

  test.each(['', '5', 's', '1d', '5 m', '1h-3m', '1..5s', '+', 'h1'])('%j is refused', (text) =>
    expect(() => parseDuration(text)).toThrow(ValueError),
  );

  test('what is printed is read back', () =>
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 3);
      }),
      { seed: 7 },
    ));

  test('prints as Go does', () => {
    expect([300_000, 0, 1500, 250, 3_600_000, 61_000].map(formatDuration)).toEqual([
      '5m0s',
      '0s',
      '1.5s',
      '250ms',
      '1h0m0s',
      '1m1s',
    ]);
  });
});

test('byte sizes', () => {
  expect(['1024', '64Mi', '1.5Gi', '100M', '2k'].map(parseBytes)).toEqual([1024, 67108864, 1610612736, 1e8, 2000]);
  for (const bad of ['', '-1', '1.5', '1KB', '64 Mi', '99999999999Ti'])
    expect(() => parseBytes(bad)).toThrow(ValueError);
  expect([1024, 67108864, 1e8, 0].map(formatBytes)).toEqual(['1Ki', '64Mi', '100000000', '0']);
});

test('booleans and integers', () => {
  expect(['t', 'TRUE', '1'].map(parseBool)).toEqual([true, true, true]);
  expect(['f', 'False', '0'].map(parseBool)).toEqual([false, false, false]);
  for (const bad of ['yes', '', 'tRUE']) expect(() => parseBool(bad)).toThrow(ValueError);
  expect(parseInteger('-5')).toBe(-5);
  for (const bad of ['', '1e3', '0x10', '1.0', '9007199254740993']) expect(() => parseInteger(bad)).toThrow(ValueError);
});
