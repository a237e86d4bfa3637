import type { Key, Row } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { inWindows } from './windows.js';

const rowsOf = (count: number, bytes: number): Row[] =>
  Array.from({ length: count }, (_, number) => ({
    namespace: 'a',
    name: String(number).padStart(6, '0'),
    uid: 'u',
    version: 1n,
    storedVersion: '',
    defaults: 0,
    body: { length: bytes } as Buffer,
  }));

/** Rows that come a hundred at a time, and how many lists of them are open. */
class Source {
  open = 0;
  readonly asked: number[] = [];

  constructor(private readonly rows: readonly Row[]) {}

  async *pages(from: number, limit: number): AsyncGenerator<readonly Row[]> {
    this.open++;
    try {
      const end = Math.min(this.rows.length, from + limit);
      for (let at = from; at < end; at += 100) yield this.rows.slice(at, Math.min(end, at + 100));
    } finally {
      this.open--;
    }
  }

  behind = async ({ name }: Key, limit: number) => {
    this.asked.push(limit);
    return this.pages(Number(name) + 1, limit);
  };
}

async function read(source: Source, limit: number): Promise<string[][]> {
  const windows: string[][] = [];
  for await (const rows of inWindows(source.pages(0, limit), limit, source.behind)) {
    expect(source.open).toBe(0);
    windows.push(rows.map(({ name }) => name));
  }
  return windows;
}

describe('a list in windows', () => {
  it.each([0, 1, 100, 4_096, 10_000])('has each of %i rows once, and holds nothing between them', async (count) => {
    const windows = await read(new Source(rowsOf(count, 100)), Number.POSITIVE_INFINITY);
    expect(windows.flat()).toEqual(rowsOf(count, 0).map(({ name }) => name));
    for (const window of windows) expect(window.length).toBeLessThan(4_200);
  });

  it('asks for nothing more when all was there', async () => {
    const source = new Source(rowsOf(300, 100));
    await read(source, Number.POSITIVE_INFINITY);
    await read(source, 300);
    await read(source, 50);
    expect(source.asked).toEqual([]);
  });

  it('is bounded in bytes, and asks for no more than fits', async () => {
    const source = new Source(rowsOf(500, 1 << 20));
    const windows = await read(source, 450);
    expect(windows.map(({ length }) => length)).toEqual([100, 100, 100, 100, 50]);
    expect(source.asked).toEqual([100, 100, 100, 50]);
  });
});
