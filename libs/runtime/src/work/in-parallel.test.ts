import { describe, expect, it } from 'vitest';
import { inParallel } from './in-parallel.js';

async function* pages(count: number): AsyncGenerator<number[]> {
  for (let at = 0; at < count; at += 3) yield [at, at + 1, at + 2].filter((item) => item < count);
}
const few = (items: number) => ({ items, bytes: Number.POSITIVE_INFINITY, sizeOf: () => 1 });
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('inParallel', () => {
  it('works on each item once, never on more than so many, and ends when all are done', async () => {
    const done: number[] = [];
    let [running, most] = [0, 0];
    await inParallel(pages(20), few(4), async (item) => {
      most = Math.max(most, ++running);
      for (let i = 0; i <= item % 3; i++) await turn();
      running--;
      done.push(item);
    });
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(most).toBe(4);
  });

  it('works on no more bytes at a time, and alone on what is larger', async () => {
    const running: number[] = [];
    const seen: number[][] = [];
    await inParallel(pages(9), { items: 9, bytes: 6, sizeOf: (item) => item }, async (item) => {
      running.push(item);
      seen.push([...running]);
      await turn();
      running.splice(running.indexOf(item), 1);
    });
    expect(seen.at(-1)).toEqual([8]);
    for (const together of seen.filter(({ length }) => length > 1))
      expect(together.reduce((sum, item) => sum + item, 0)).toBeLessThanOrEqual(6);
    expect(seen).toContainEqual([0, 1, 2, 3]);
  });

  it('begins nothing after a failure, and waits for what is under way', async () => {
    const begun: number[] = [];
    let running = 0;
    const all = inParallel(pages(20), few(3), async (item) => {
      begun.push(item);
      running++;
      await turn();
      running--;
      if (item === 4) throw new Error('four');
    });
    await expect(all).rejects.toThrow('four');
    expect(running).toBe(0);
    expect(begun.length).toBeLessThan(9);
  });

  it('fails as its source does', async () => {
    async function* broken(): AsyncGenerator<number[]> {
      yield [1];
      throw new Error('source');
    }
    await expect(inParallel(broken(), few(2), turn)).rejects.toThrow('source');
  });
});
