import { describe, expect, it } from 'vitest';
import { Gatherer } from './gatherer.js';
import { StoreUnavailableError } from './store.js';

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

  it('settles each on its own, and all alike when the batch fails', async () => {
    const { gatherer, step } = gathererOf();
    const first = Promise.allSettled([gatherer.add(-1), gatherer.add(2)]);
    await step();
    await step();
    expect((await first).map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
    const second = Promise.allSettled([gatherer.add(13), gatherer.add(2)]);
    await step();
    await step();
    expect((await second).map((result) => result.status)).toEqual(['rejected', 'rejected']);
  });

  it('refuses more than may wait', async () => {
    const { gatherer, step } = gathererOf({ waiting: 2 });
    const accepted = [gatherer.add(1), gatherer.add(2)];
    await expect(gatherer.add(3)).rejects.toBeInstanceOf(StoreUnavailableError);
    await step();
    await step();
    await Promise.all(accepted);
    await gatherer.drained();
  });
});
