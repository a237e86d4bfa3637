import { describe, expect, it, vi } from 'vitest';
import { BusyStoreError, StoreUnavailableError } from '../face/errors.js';
import { Gatherer } from './gatherer.js';

function gathererOf(options: { items?: number; bytes?: number; waiting?: number } = {}) {
  const batches: number[][] = [];
  const release: (() => void)[] = [];
  const gatherer = new Gatherer<number, number>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => release.push(resolve));
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => (item < 0 ? new Error(`${item}`) : item * 2));
    },
    { items: 100, bytes: 1000, waiting: 1000, sizeOf: (item) => item, ...options },
  );
  /** Lets the batch under way finish and the next begin. */
  const step = async () => {
    release.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { gatherer, batches, step };
}

describe('Gatherer', () => {
  it('sends a lone call at once and gathers those that come meanwhile', async () => {
    const { gatherer, batches, step } = gathererOf();
    const results = [gatherer.add(1)];
    await step();
    expect(batches).toEqual([[1]]);
    results.push(gatherer.add(2), gatherer.add(3));
    expect(batches).toHaveLength(1);
    await step();
    expect(batches).toEqual([[1], [2, 3]]);
    await step();
    expect(await Promise.all(results)).toEqual([2, 4, 6]);
  });

  it('bounds batches in items and bytes; a large item goes alone', async () => {
    const { gatherer, batches, step } = gathererOf({ items: 3, bytes: 10 });
    const results = [1, 1, 1, 1, 6, 6, 50, 1].map((item) => gatherer.add(item));
    for (let i = 0; i < 6; i++) await step();
    await Promise.all(results);
    expect(batches).toEqual([[1, 1, 1], [1, 6], [6], [50], [1]]);
  });

  it('is idle for whoever goes on with the last result', async () => {
    const { gatherer, step } = gathererOf();
    const idle = Promise.all([1, 2].map((item) => gatherer.add(item).then(() => gatherer.idle)));
    await step();
    await step();
    expect(await idle).toEqual([true, true]);
  });

  it('settles each on its own', async () => {
    const { gatherer, step } = gathererOf();
    const results = Promise.allSettled([gatherer.add(-1), gatherer.add(2)]);
    await step();
    await step();
    expect((await results).map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
  });

  it('asks again by halves when a batch fails, so that none fails because of another', async () => {
    const { gatherer, batches, step } = gathererOf();
    const results = Promise.allSettled([1, 2, 13, 4, 5].map((item) => gatherer.add(item)));
    for (let i = 0; i < 8; i++) await step();
    expect((await results).map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(batches).toEqual([[1, 2, 13, 4, 5], [1, 2], [13, 4, 5], [13], [4, 5]]);
  });

  it('asks nobody again where the database is away', async () => {
    const batches: number[] = [];
    const away = async (items: readonly number[]) => {
      batches.push(items.length);
      throw new StoreUnavailableError('away', false);
    };
    const gatherer = new Gatherer<number, number>(away, { items: 9, bytes: 9, waiting: 9, sizeOf: () => 0 });
    const results = await Promise.allSettled([1, 2, 3].map((item) => gatherer.add(item)));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toEqual([3]);
    expect(gatherer.idle).toBe(true);
  });

  it('lets who comes late begin at once beside a batch that has taken long, without a warning', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    const started: number[] = [];
    const release: (() => void)[] = [];
    const work = async (items: readonly number[]) => {
      started.push(...items);
      await new Promise<void>((resolve) => release.push(resolve));
      return items;
    };
    const limits = { items: 9, bytes: 9, waiting: 9, sizeOf: () => 0, overtaking: { after: 1, batches: 2 } };
    const gatherer = new Gatherer<number, number>(work, limits);
    const first = gatherer.add(1);
    await vi.waitFor(() => expect(started).toEqual([1]));
    for (const late = performance.now() + 5; performance.now() < late; );
    const second = gatherer.add(2);
    await vi.waitFor(() => expect(started).toEqual([1, 2]));
    for (const end of release) end();
    await Promise.all([first, second]);
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it('lets others begin beside batches that take long, up to a number', async () => {
    const batches: number[][] = [];
    const release: (() => void)[] = [];
    const work = async (items: readonly number[]) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => release.push(resolve));
      return items;
    };
    const limits = { items: 9, bytes: 9, waiting: 9, sizeOf: () => 0, overtaking: { after: 20, batches: 2 } };
    const gatherer = new Gatherer<number, number>(work, limits);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const first = gatherer.add(1);
      await Promise.resolve();
      const second = [gatherer.add(2), gatherer.add(3)];
      vi.advanceTimersByTime(19);
      expect(batches).toEqual([[1]]);
      vi.advanceTimersByTime(1);
      expect(batches).toEqual([[1], [2, 3]]);
      const third = gatherer.add(4);
      vi.advanceTimersByTime(1000);
      expect(batches).toHaveLength(2);
      // The one that ends leaves its place to the next, though the first still hangs.
      release[1]?.();
      await Promise.all(second);
      await Promise.resolve();
      expect(batches).toEqual([[1], [2, 3], [4]]);
      // While one is young, what comes waits for it rather than beginning in the place that the old one leaves.
      const fourth = gatherer.add(5);
      release[0]?.();
      await first;
      await Promise.resolve();
      expect(batches).toHaveLength(3);
      expect(gatherer.idle).toBe(false);
      release[2]?.();
      await third;
      await Promise.resolve();
      expect(batches.at(-1)).toEqual([5]);
      release[3]?.();
      await fourth;
      await gatherer.drained();
    } finally {
      vi.useRealTimers();
    }
  });

  it('refuses more than may wait', async () => {
    const { gatherer, step } = gathererOf({ waiting: 2 });
    const accepted = [gatherer.add(1), gatherer.add(2)];
    await expect(gatherer.add(3)).rejects.toBeInstanceOf(BusyStoreError);
    await step();
    await step();
    await Promise.all(accepted);
    await gatherer.drained();
  });
});
