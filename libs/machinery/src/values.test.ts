import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DurationError, formatDuration, parseDuration } from './duration.js';
import { generateName } from './generated.js';
import { canonicalQuantity, parseQuantity, QuantityError } from './quantity.js';
import { formatMicroTime, formatTime, normalizeMicroTime, normalizeTime, parseTime, TimeError } from './time.js';

describe('quantity', () => {
  it.each(['7'.repeat(100_000), `${'7'.repeat(100_000)}!`, `0.${'0'.repeat(1000)}1`, '1+5', '1-', '1e+', '+', ''])(
    'refuses what is no amount, or longer than anybody means, without delay: %s',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(QuantityError);
    },
  );

  it.each([
    ['0', '0'],
    ['0Mi', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1Gi', '1Gi'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1000Ki', '1000Ki'],
    ['0.5Ki', '512'],
    ['0.1Ki', '102400m'],
    ['1000k', '1M'],
    ['100e3', '100e3'],
    ['1E3', '1e3'],
    ['1E', '1E'],
    ['12e1', '120'],
    ['100e-1', '10'],
    ['+3', '3'],
    ['-1.5', '-1500m'],
    ['1n', '1n'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['1e-30', '1e-9'],
    ['123456789012345678901234567890', '9223372036854775807'],
    ['1e999999999', '9223372036854775807'],
    ['0e999999999', '0'],
    ['1000000', '1M'],
    ['1234', '1234'],
    ['00100', '100'],
  ])('%s is printed as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each(['', ' ', '.', '1 ', '1.2.3', '1mm', '1ki', '1K', 'x', '--1', '1e', '1e+', '1Ei3', '0x1'])(
    'refuses %j',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(QuantityError);
    },
  );

  it('compares and rounds away from zero', () => {
    expect(parseQuantity('1').compare(parseQuantity('1000m'))).toBe(0);
    expect(parseQuantity('1Ki').compare(parseQuantity('1k'))).toBeGreaterThan(0);
    expect([parseQuantity('1500m').value(), parseQuantity('-1500m').value()]).toEqual([2n, -2n]);
    expect(parseQuantity('0.0001').milliValue()).toBe(1n);
  });

  it('reads whole numbers in the short way as in the long one (property)', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei');
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,17}$/), suffix, (digits, end) => {
        // A sign leads past the short way.
        expect(parseQuantity(digits + end)).toEqual(parseQuantity(`+${digits}${end}`));
      }),
      { seed: 20261122, numRuns: 2000 },
    );
  });

  it('prints a form that is its own, with the same amount (property)', () => {
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'e3', 'E-2');
    const number = fc
      .tuple(fc.nat(99999), fc.option(fc.nat(9999)))
      .map(([a, b]) => (b === null ? `${a}` : `${a}.${b}`));
    fc.assert(
      fc.property(fc.constantFrom('', '-', '+'), number, suffix, (sign, digits, unit) => {
        const text = sign + digits + unit;
        const canonical = canonicalQuantity(text);
        expect(canonicalQuantity(canonical)).toBe(canonical);
        expect(parseQuantity(canonical).nanos).toBe(parseQuantity(text).nanos);
        expect(canonical).toBe(parseQuantity(text).toString());
      }),
      { seed: 20260123, numRuns: 1000 },
    );
  });
});

describe('time', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.987654321Z', '2026-01-02T03:04:05Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-29T23:59:59.5-00:30', '2024-03-01T00:29:59Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('%s', (text, time) => {
    expect(normalizeTime(text)).toBe(time);
  });

  it.each([
    ['2026-01-02T03:04:05.987654Z', '2026-01-02T03:04:05.987654Z'],
    ['2026-01-01T00:30:00.000000+01:00', '2025-12-31T23:30:00.000000Z'],
    ['2024-02-29T23:59:59.500000-00:30', '2024-03-01T00:29:59.500000Z'],
  ])('of microseconds: %s', (text, microTime) => {
    expect(normalizeMicroTime(text)).toBe(microTime);
  });

  it.each(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.12345Z', '2026-01-02T03:04:05.1234567Z'])(
    'takes no other number of digits for microseconds: %s',
    (text) => expect(() => normalizeMicroTime(text)).toThrow('as "2006-01-02T15:04:05.000000Z07:00"'),
  );

  it.each([
    '',
    '2026-01-02',
    '2026-01-02 03:04:05Z',
    '2026-13-02T03:04:05Z',
    '2026-02-30T03:04:05Z',
    '2025-02-29T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:04:60Z',
    '2026-01-02T03:04:05',
    '2026-01-02T03:04:05+25:00',
    '2026-01-00T03:04:05Z',
  ])('refuses %j', (text) => {
    expect(() => normalizeTime(text)).toThrow(TimeError);
  });

  it('formats and parses milliseconds', () => {
    expect(formatTime(1767323045999)).toBe('2026-01-02T03:04:05Z');
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59Z');
    expect(formatMicroTime(1767323045999, 7)).toBe('2026-01-02T03:04:05.999007Z');
    expect(parseTime('2026-01-02T03:04:05.9Z')).toBe(1767323045900);
  });
});

describe('duration', () => {
  it.each([
    ['0', '0s'],
    ['5m', '5m0s'],
    ['1h', '1h0m0s'],
    ['90s', '1m30s'],
    ['1.5s', '1.5s'],
    ['-.5h', '-30m0s'],
    ['100ms', '100ms'],
    ['1us', '1µs'],
    ['3ns', '3ns'],
    ['1h0.001s', '1h0m0.001s'],
  ])('%s is %s', (text, canonical) => {
    expect(formatDuration(parseDuration(text))).toBe(canonical);
  });

  it.each(['', '-', '5', 's', '.s', '1x', '1s ', '1m5', '9999999h'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(DurationError);
  });

  it('reads back what it prints (property)', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (nanos) => {
        expect(parseDuration(formatDuration(nanos))).toBe(nanos);
      }),
      { seed: 20260124 },
    );
  });
});

describe('generated names', () => {
  it('has five characters of its own and fits a DNS label', () => {
    expect(generateName('web-', () => 0)).toBe('web-bbbbb');
    expect(generateName('x'.repeat(100), () => 26)).toBe(`${'x'.repeat(58)}99999`);
    expect(generateName('web-')).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
