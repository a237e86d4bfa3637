import { rowsOf, PagedSource as Source } from '@orch/testing';
import { describe, expect, it } from 'vitest';
import { inWindows } from './windows.js';

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
