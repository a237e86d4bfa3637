import type { Row } from '@orch/storage';
import { PagedSource, rowsOf } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WindowMemory } from './window-memory.js';
import { WINDOW_BYTES } from './windows.js';
import { type YieldingTerms, yielding } from './yielding.js';

const ALL = Number.POSITIVE_INFINITY;
const PATIENCE_MS = 250;
const TURN_MS = 500;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => void vi.useRealTimers());

const passes = (ms: number) => vi.advanceTimersByTime(ms);

function open(source: PagedSource, terms: Partial<YieldingTerms> = {}, limit = ALL) {
  const memory = new WindowMemory({ inAll: 0, perUser: 0 });
  const all = {
    ...{ patienceMs: PATIENCE_MS, turnMs: TURN_MS, isWanted: () => false, reserve: () => memory.reserve('a') },
    ...terms,
  };
  return { memory, rows: yielding(source.pages(0, limit), limit, source.behind, all) };
}

const names = (pages: readonly (readonly Row[])[]): string[] => pages.flat().map(({ name }) => name);

/** Reads a list whose reader takes so long over each of its pages. */
async function read(rows: AsyncGenerator<readonly Row[]>, over: (page: number) => number) {
  const pages: (readonly Row[])[] = [];
  for await (const page of rows) {
    pages.push(page);
    passes(over(pages.length));
  }
  return pages;
}

describe('a list that its reader reads', () => {
  it.each([0, 1, 100, 101, 5_000])('at once has all of %i rows over one connection', async (count) => {
    const source = new PagedSource(rowsOf(count, 100));
    const pages = await read(open(source).rows, () => PATIENCE_MS - 1);
    expect(names(pages)).toEqual(names([rowsOf(count, 0)]));
    expect([source.asked, source.open]).toEqual([[], 0]);
  });

  it.each([
    [1, 5_000, ALL],
    [3, 5_000, ALL],
    [50, 5_000, ALL],
    [1, 100, ALL],
    [2, 9_000, 7_050],
    [1, 300, 250],
  ])('slowly at page %i has each of %i rows up to %i once', async (at, count, limit) => {
    const source = new PagedSource(rowsOf(count, 100));
    const { memory, rows } = open(source, {}, limit);
    const pages = await read(rows, (page) => (page === at ? PATIENCE_MS : 0));
    expect(names(pages)).toEqual(names([rowsOf(Math.min(count, limit), 0)]));
    expect([source.open, memory.held]).toEqual([0, 0]);
  });

  it('not at all holds no connection, and a window of it', async () => {
    const source = new PagedSource(rowsOf(5_000, 10_000));
    const { memory, rows } = open(source);
    await rows.next();
    expect(source.open).toBe(1);
    passes(PATIENCE_MS);
    await expect.poll(() => source.open).toBe(0);
    expect(memory.held).toBe(WINDOW_BYTES);
    const { value: window } = await rows.next();
    expect(window).toHaveLength(500);
    expect(source.asked).toEqual([]);
    await rows.next();
    expect([source.asked, source.open, memory.held]).toEqual([[500], 0, WINDOW_BYTES]);
    await rows.return(undefined);
    expect(memory.held).toBe(0);
  });

  it('and is left at once holds no connection', async () => {
    const source = new PagedSource(rowsOf(5_000, 10_000));
    const { memory, rows } = open(source);
    await rows.next();
    await rows.return(undefined);
    expect([source.open, memory.held, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('not at all, and is left, has nothing read ahead of it any more', async () => {
    const source = new PagedSource(rowsOf(5_000, 10_000));
    const { memory, rows } = open(source);
    await rows.next();
    passes(PATIENCE_MS);
    await rows.return(undefined);
    expect([source.open, memory.held, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it('slowly goes on page by page where there is no memory for windows', async () => {
    const source = new PagedSource(rowsOf(450, 10_000));
    const none = () => ({ bytes: 0, release: () => undefined });
    const pages = await read(open(source, { reserve: none }).rows, () => PATIENCE_MS);
    expect(names(pages)).toEqual(names([rowsOf(450, 0)]));
    expect(source.asked).toEqual([100, 100, 100, 50]);
  });

  it('slowly asks for more than what comes first of it where there is no memory for windows', async () => {
    const source = new PagedSource(rowsOf(3_000, 1_000), 3);
    const none = new WindowMemory({ inAll: 1, perUser: 1 });
    const { rows } = open(source, { reserve: () => none.reserve('a') });
    expect(names(await read(rows, () => PATIENCE_MS))).toEqual(names([rowsOf(3_000, 0)]));
    expect(source.asked.length).toBeLessThan(30);
  });

  it('gives its connection back when it has had it long enough and others wait', async () => {
    const source = new PagedSource(rowsOf(6_000, 100));
    let openSum = 0;
    const { rows } = open(source, { isWanted: () => true });
    const pages: (readonly Row[])[] = [];
    for await (const page of rows) {
      pages.push(page);
      openSum += source.open;
      passes(TURN_MS / 4);
    }
    expect(names(pages)).toEqual(names([rowsOf(6_000, 0)]));
    // Four pages came over the first connection.
    expect([openSum, source.asked]).toEqual([4, [4_096]]);
  });

  it('keeps it as long as nobody waits', async () => {
    const source = new PagedSource(rowsOf(6_000, 100));
    await read(open(source).rows, () => TURN_MS / 4);
    expect(source.asked).toEqual([]);
  });

  it('slowly hears of what keeps the rest from being read', async () => {
    const source = new PagedSource(rowsOf(9_000, 100));
    source.failure = new Error('history has expired');
    const { memory, rows } = open(source);
    await expect(read(rows, () => PATIENCE_MS)).rejects.toThrow('history has expired');
    expect([source.open, memory.held]).toEqual([0, 0]);
  });

  it('slowly keeps no memory for a window that cannot be read', async () => {
    const source = new PagedSource(rowsOf(9_000, 100));
    const { memory, rows } = open(source);
    const failing = read(rows, () => {
      source.broken = new Error('connection lost');
      return PATIENCE_MS;
    });
    await expect(failing).rejects.toThrow('connection lost');
    expect([source.open, memory.held]).toEqual([0, 0]);
  });
});
