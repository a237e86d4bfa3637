import { describe, expect, it } from 'vitest';
import { LogLines, logTime } from './log-lines.js';

const TIME = '2023-04-11T00:00:00.000000000Z';
const lines = () => new LogLines('stdout', () => TIME);

describe('lines of a log', () => {
  it('are made of complete lines, whatever pieces they come in', () => {
    const log = lines();
    expect(log.push(Buffer.from('one\ntw')).toString()).toBe(`${TIME} stdout F one\n`);
    expect(log.push(Buffer.from('o\n\n')).toString()).toBe(`${TIME} stdout F two\n${TIME} stdout F \n`);
    expect(log.end().toString()).toBe('');
  });

  it('are partial where the output ends without a newline', () => {
    const log = lines();
    expect(log.push(Buffer.from('rest')).toString()).toBe('');
    expect(log.end().toString()).toBe(`${TIME} stdout P rest\n`);
    expect(log.end().toString()).toBe('');
  });

  it('split lines of more than 16 KiB', () => {
    const log = lines();
    const made = log
      .push(Buffer.from(`${'x'.repeat(40_000)}\n`))
      .toString()
      .trimEnd()
      .split('\n');
    expect(made.map((line) => line.split(' ')[2])).toEqual(['P', 'P', 'F']);
    expect(made.map((line) => line.split(' ')[3]).join('')).toBe('x'.repeat(40_000));
  });

  it('keep bytes that are no text', () => {
    const bytes = Buffer.from([0xff, 0x00, 0x0a]);
    expect(lines().push(bytes).subarray(-3)).toEqual(bytes);
  });

  it('have times with nanoseconds', () => {
    expect(logTime(Date.UTC(2023, 3, 11) + 0.5)).toBe('2023-04-11T00:00:00.000500000Z');
    expect(logTime(Date.UTC(2023, 3, 11) + 999)).toBe('2023-04-11T00:00:00.999000000Z');
  });
});
