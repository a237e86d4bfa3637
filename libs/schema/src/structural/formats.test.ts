import { describe, expect, it } from 'vitest';
import { isOfFormat } from './formats.js';

describe('formats of texts', () => {
  it.each([
    ['1 hour', true],
    ['a 12 days b', true],
    ['12 x 3 weeks', true],
    ['12', false],
    ['9223372036854775808 days', false],
    ['1 day 99999999999999999999 x', false],
  ])('a duration: %s %s', (text, is) => {
    expect(isOfFormat('duration', text)).toBe(is);
  });

  // Seconds and minutes before, on any machine; the bound is that of all steps of a request.
  it.each([
    ['duration', '1'.repeat(50_000)],
    ['duration', '1 a'.repeat(100_000)],
    ['creditcard', '1'.repeat(400_000)],
    ['email', `"${'\\a'.repeat(200_000)}`],
  ])('a long text of none is refused in time that grows with its length: %s', (format, text) => {
    const before = process.cpuUsage();
    expect(isOfFormat(format, text)).toBe(false);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
