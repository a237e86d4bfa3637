import { describe, expect, it } from 'vitest';
import { Effort } from './effort.js';
import { weightOf } from './pattern-weight.js';
import { keptPattern, keptSteps, patternOf } from './patterns.js';

const heavy = (at: number): string => `${at}${'[a-z]{900}'.repeat(20)}`;

it('what is bounded in all counts the reading of patterns that others have read', () => {
  for (let round = 0; round < 2; round++) {
    const effort = Effort.inAll();
    const match = (at: number) => effort.faultOf(heavy(at), '');
    for (let at = 0; at < 5; at++) expect(match(at)).toBe(heavy(at));
    expect(match(0)).toBe(heavy(0));
    expect(() => match(5)).toThrow('takes more than 100000 steps to match');
  }
});

describe('patterns that were read', () => {
  it('are kept as long as they are used', () => {
    const first = patternOf('^a+$');
    for (let at = 0; at < 60; at++) {
      patternOf(heavy(at));
      expect(patternOf('^a+$')).toBe(first);
    }
  });

  it('are kept no longer than there is room for them', () => {
    for (let at = 0; at < 60; at++) {
      patternOf(heavy(at));
      expect(keptSteps()).toBeLessThan(350_000);
    }
    expect(keptPattern(heavy(59))).toBeDefined();
    expect(keptPattern(heavy(0))).toBeUndefined();
  });

  it('are kept no longer than there is room for very many small ones', () => {
    for (let at = 0; at < 5_000; at++) patternOf(`${at}`);
    expect(keptPattern('0')).toBeUndefined();
    expect(keptPattern('4999')).toBeDefined();
  });

  it('are not read where that takes too long', () => {
    expect(patternOf('[a-z]{1000}'.repeat(25)).compiled).toBe('takes more than 20000 steps to match');
    expect(weightOf('a{1000}'.repeat(1_000), 20_000)).toBeLessThan(21_100);
    for (const endless of ['(', '\\Q(', '\\Q[', 'a']) {
      const text = endless.repeat(1_000_000);
      const began = process.cpuUsage();
      expect(patternOf(text).compiled).toBe('takes more than 20000 steps to match');
      const { user, system } = process.cpuUsage(began);
      expect(user + system, 'µs for what opens and is never closed').toBeLessThan(50_000);
    }
    expect(weightOf('('.repeat(30_000))).toBeGreaterThan(20_000);
  });
});

describe('a pattern is not read that takes long to read', () => {
  const isRead = (text: string): boolean => typeof patternOf(text).compiled !== 'string';

  it.each([
    ['groups', '(a)', 1_400, 1_500],
    ['signs', '^', 3_300, 3_400],
    ['alternatives', 'ab|', 1_950, 2_050],
    ['plain text', 'a', 9_900, 10_100],
    ['escapes of signs', String.raw`\.`, 9_900, 10_100],
    ['classes by a letter', String.raw`\d`, 3_300, 3_400],
  ])('of very many %s', (_what, piece, few, many) => {
    expect(isRead(piece.repeat(few))).toBe(true);
    expect(isRead(piece.repeat(many))).toBe(false);
  });

  it.each([
    ['copies that need not be there', 'a{0,1000}', 4, 6],
    ['copies that are all there', 'a{1000}', 18, 20],
  ])('of very many %s', (_what, piece, few, many) => {
    expect(isRead(piece.repeat(few))).toBe(true);
    expect(isRead(piece.repeat(many))).toBe(false);
  });

  it.each([
    ['ranges', '!-~', 3_500, 3_900],
    ['ranges by escapes', String.raw`\0-\777`, 600, 660],
    ['escapes for all but a few', String.raw`\W`, 1_450, 1_550],
  ])('of a class of very many %s, where case does not matter', (_what, piece, few, many) => {
    expect(isRead(`(?i)[${piece.repeat(few)}]`)).toBe(true);
    expect(isRead(`(?i)[${piece.repeat(many)}]`)).toBe(false);
    expect(isRead(`[${piece.repeat(many)}]`), 'with regard to case').toBe(true);
  });
});
