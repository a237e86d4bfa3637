import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/index.js';
import { WorkQueue, type WorkQueueOptions } from './work-queue.js';

/** A queue whose work on a key ends when the test says so. */
function queueOf(options: Partial<WorkQueueOptions> = {}) {
  const clock = new ManualClock();
  const begun: string[] = [];
  const errors: unknown[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const counts = { added: 0, retried: 0, queued: [] as number[], worked: [] as number[] };
  const queue = new WorkQueue({
    process: (key) =>
      new Promise((resolve, reject) => {
        begun.push(key);
        ends.set(key, (error) => (error ? reject(error) : resolve()));
      }),
    onError: (error) => void errors.push(error),
    observer: {
      added: () => void counts.added++,
      retried: () => void counts.retried++,
      started: (seconds) => void counts.queued.push(seconds),
      finished: (seconds) => void counts.worked.push(seconds),
    },
    clock,
    ...options,
  });
  const end = async (key: string, error?: Error) => {
    ends.get(key)?.(error);
    await clock.settle();
  };
  return { clock, queue, begun, errors, counts, end };
}

describe('a queue of keys', () => {
  it('holds a key once, and works on keys in the order of their coming', async () => {
    const { queue, begun, counts, end } = queueOf();
    for (const key of ['a', 'b', 'c', 'b']) queue.add(key);
    expect([begun, queue.depth, counts.added]).toEqual([['a'], 2, 3]);
    await end('a');
    await end('b');
    await end('c');
    expect([begun, queue.depth]).toEqual([['a', 'b', 'c'], 0]);
  });

  it('works on so many keys at a time, never on one of them twice', async () => {
    const { queue, begun, end } = queueOf({ workers: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    expect(begun).toEqual(['a', 'b']);
    queue.add('a');
    queue.add('a');
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'a']);
    await end('a');
    await end('c');
    expect(begun).toHaveLength(4);
  });

  it('tries a failed key again, after twice as long each time, and not what has succeeded', async () => {
    const { clock, queue, begun, errors, counts, end } = queueOf({ retry: { firstMs: 10, longestMs: 25 } });
    const failure = new Error('refused');
    queue.add('a');
    for (const ms of [10, 20, 25, 25]) {
      const before = begun.length;
      await end('a', failure);
      await clock.advance(ms - 1);
      expect(begun).toHaveLength(before);
      await clock.advance(1);
      expect(begun).toHaveLength(before + 1);
    }
    expect([errors, counts.retried]).toEqual([Array(4).fill(failure), 4]);
    await end('a');
    queue.add('a');
    await end('a', failure);
    await clock.advance(10);
    expect(begun).toHaveLength(7);
  });

  it('tries a failed key again at once where it is added meanwhile', async () => {
    const { clock, queue, begun, end } = queueOf();
    queue.add('a');
    await end('a', new Error('refused'));
    queue.add('a');
    expect(begun).toHaveLength(2);
    await end('a');
    await clock.advance(10_000);
    expect(begun).toHaveLength(2);
  });

  it('bounds the retries of all keys together', async () => {
    const { clock, queue, begun } = queueOf({
      workers: 1_000,
      process: async (key) => {
        begun.push(key);
        throw new Error('refused');
      },
    });
    for (let key = 0; key < 200; key++) queue.add(`${key}`);
    await clock.advance(1_000);
    const first = begun.length;
    expect(first).toBeGreaterThanOrEqual(300);
    expect(first).toBeLessThanOrEqual(312);
    await clock.advance(10_000);
    expect(begun.length - first).toBeGreaterThanOrEqual(99);
    expect(begun.length - first).toBeLessThanOrEqual(101);
  });

  it('adds a key later, at the earliest time that was asked for', async () => {
    const { clock, queue, begun } = queueOf();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 70);
    await clock.advance(49);
    expect(begun).toEqual([]);
    await clock.advance(1);
    expect(begun).toEqual(['a']);
    await clock.advance(100);
    expect([begun, queue.depth]).toEqual([['a'], 0]);
  });

  it('lets a key rest after work on it, and gathers what is added meanwhile', async () => {
    const { clock, queue, begun, counts, end } = queueOf({ restMs: 10, retry: { firstMs: 5, longestMs: 5 } });
    queue.add('a');
    queue.add('a');
    await end('a');
    queue.add('b');
    queue.add('a');
    await clock.advance(9);
    expect([begun, counts.added]).toEqual([['a', 'b'], 3]);
    await end('b');
    await clock.advance(1);
    expect(begun).toEqual(['a', 'b', 'a']);
    await end('a', new Error('refused'));
    await clock.advance(9);
    expect(begun).toHaveLength(3);
    await clock.advance(1);
    expect(begun).toEqual(['a', 'b', 'a', 'a']);
    await end('a');
    queue.add('a');
    await queue.stop();
    await clock.advance(100);
    expect(begun).toHaveLength(4);
  });

  it('forgets what it has not begun when it is drained, and ends with the work under way', async () => {
    const { clock, queue, begun, end } = queueOf();
    queue.add('a');
    queue.add('b');
    queue.add('a');
    queue.addAfter('c', 10);
    let isOver = false;
    const drained = queue.drain().then(() => (isOver = true));
    await clock.advance(1_000);
    expect([isOver, begun]).toEqual([false, ['a']]);
    await end('a', new Error('refused'));
    await drained;
    await clock.advance(10_000);
    expect(begun).toEqual(['a']);
    queue.add('b');
    expect(begun).toEqual(['a', 'b']);
  });

  it('takes nothing more once it is stopped', async () => {
    const { clock, queue, begun, end } = queueOf();
    queue.add('a');
    const stopped = queue.stop();
    queue.add('a');
    queue.addAfter('b', 1);
    await end('a');
    await stopped;
    await clock.advance(1_000);
    expect(begun).toEqual(['a']);
  });

  it('tells how long keys wait and are worked on', async () => {
    const { clock, queue, counts, end } = queueOf();
    queue.add('a');
    queue.add('b');
    await clock.advance(2_000);
    expect(queue.unfinished).toEqual([2]);
    await end('a');
    await clock.advance(1_000);
    await end('b');
    expect(counts).toMatchObject({ queued: [0, 2], worked: [2, 1] });
    expect(queue.unfinished).toEqual([]);
  });

  it('a key that fails and changes again and again uses up no retries of others', async () => {
    const begun: string[] = [];
    const { clock, queue } = queueOf({
      async process(key) {
        begun.push(key);
        throw new Error('refused');
      },
    });
    for (let at = 0; at < 1_000; at++) {
      queue.add('busy');
      await clock.settle();
    }
    queue.add('other');
    await clock.advance(5);
    expect(begun.filter((key) => key === 'other')).toHaveLength(2);
    await queue.stop();
  });

  it('lets others have their turn between many keys, each of which takes next to nothing', async () => {
    let [worked, turns] = [0, 0];
    const queue = new WorkQueue({
      process: async () => void worked++,
      onError: (error) => {
        throw error;
      },
    });
    for (let at = 0; at < 20_000; at++) queue.add(`${at}`);
    for (; worked < 20_000; turns++) await new Promise(setImmediate);
    expect(turns).toBeGreaterThan(2);
    await queue.stop();
  });
});
