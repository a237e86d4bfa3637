import { MemorySource } from '@orch/feed/testing';
import { ManualClock } from '@orch/runtime/testing';
import type { Row } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { describeRow } from '../testing/fixtures.js';
import { type LoadedState, StateLoader } from './state-loader.js';

const TYPE = 1;
const PAGES = 5;

/** A loader of a state in pages, each of which is read when a test says so. */
function setUp() {
  const source = new MemorySource();
  for (let page = 0; page < PAGES; page++) source.write(TYPE, 'put', { namespace: 'a', name: `o${page}` });
  const rows = source.rows(TYPE);
  const reading = { pages: 0, given: 0, over: false, next: (): void => undefined };
  async function* pages(): AsyncGenerator<readonly Row[]> {
    try {
      for (const row of rows) {
        reading.pages++;
        await new Promise<void>((resolve) => {
          reading.next = resolve;
        });
        yield [row];
      }
    } finally {
      reading.over = true;
    }
  }
  source.snapshot = async () => ({ version: 5n, pages: pages() });
  const clock = new ManualClock();
  const loader = new StateLoader({ source, type: TYPE, describe: describeRow, clock, onError: undefined });
  const taken: LoadedState[] = [];
  const loading = loader.load((loaded) => taken.push(loaded));
  return { clock, loader, loading, taken, reading };
}

describe('StateLoader', () => {
  it('hands on what all pages have', async () => {
    const { clock, loading, taken, reading } = setUp();
    for (let page = 0; page < PAGES; page++) {
      await clock.settle();
      reading.next();
    }
    await loading;
    expect(taken.map(({ version, entries }) => [version, entries.length])).toEqual([[5n, PAGES]]);
  });

  it('reads no further page once it is closed, lets go of the snapshot, and hands nothing on', async () => {
    const { clock, loader, loading, taken, reading } = setUp();
    await clock.settle();
    reading.next();
    await clock.settle();
    expect(reading.pages).toBe(2);
    loader.close();
    reading.next();
    await loading;
    expect([reading.pages, reading.over, taken.length, clock.pending]).toEqual([2, true, 0, 0]);
  });
});
