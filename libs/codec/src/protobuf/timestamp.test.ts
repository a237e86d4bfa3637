import { formatTime, parseTime, TimeError } from '@orch/machinery';
import type { StructSchema } from '@orch/schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeObject } from './decode-object.js';
import { encodeObject } from './encode-object.js';
import { formatSeconds, secondsOf } from './timestamp.js';

const SEED = 20260102;
const FIELD = { description: '', required: false, pointer: true, omitEmpty: true };

it('agrees with the calendar of the runtime in years 1 to 9999', () => {
  const check = fc.property(fc.integer({ min: -62135596800, max: 253402300799 }), (seconds) => {
    const text = formatTime(seconds * 1000);
    expect(formatSeconds(seconds)).toBe(text);
    expect(secondsOf(text)).toBe(seconds);
  });
  fc.assert(check, { seed: SEED, numRuns: 5000 });
});

it.each(['2024-02-29T00:00:00Z', '2026-01-02T03:04:05.9Z', '2026-01-02T03:04:05+01:00', '2025-12-31T23:59:59Z'])(
  'reads %s',
  (text) => {
    expect(secondsOf(text)).toBe(Math.floor(parseTime(text) / 1000));
  },
);

it.each(['2023-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-0 T00:00:00Z', ''])(
  'refuses %j',
  (text) => {
    expect(() => secondsOf(text)).toThrow(TimeError);
  },
);

it('the beginning of 1970 is a time, nothing at all is none', () => {
  const times: StructSchema = {
    kind: 'struct',
    id: 't',
    openapi: 't',
    description: '',
    fields: new Map([
      ['at', { name: 'at', number: 1, schema: { kind: 'time' }, ...FIELD }],
      ['exactly', { name: 'exactly', number: 2, schema: { kind: 'microTime' }, ...FIELD }],
    ]),
  };
  const epoch = { at: '1970-01-01T00:00:00Z', exactly: '1970-01-01T00:00:00.000000Z' };
  expect(decodeObject(times, encodeObject(times, epoch))).toEqual(epoch);
  expect(decodeObject(times, encodeObject(times, {}))).toEqual({});
});
