import { describe, expect, it } from 'vitest';
import { BusyStoreError, StoreUnavailableError } from '../face/errors.js';
import type { TypeId } from '../face/key.js';
import { type Unit, type Verdicts, WriteQueue } from './write-queue.js';

interface Batch {
  readonly wait: boolean;
  /** Names of the writes, with a comma between those of a set. */
  readonly names: readonly string[];
  end(verdict?: (name: string) => string | Error | undefined): Promise<void>;
}

function queueOf(options: { items?: number; bytes?: number; waiting?: number; waitingBytes?: number } = {}) {
  const batches: Batch[] = [];
  const run = (wait: boolean, take: () => readonly Unit[]) =>
    new Promise<Verdicts<string>>((resolve) => {
      const names = take().map(({ ops }) => ops.map(({ name }) => name).join());
      const end: Batch['end'] = async (verdict = (name) => name) => {
        resolve(names.map(verdict));
        await turn();
        // The next batch begins at the end of the turn in which this one has ended.
        await turn();
      };
      batches.push({ wait, names, end });
    });
  const queue = new WriteQueue<string>(run, { items: 100, bytes: 1000, waiting: 1000, waitingBytes: 1e6, ...options });
  const add = (name: string, types: readonly TypeId[] = [1], count = 1, bytes = 1) =>
    queue.add({ ops: Array.from({ length: count }, () => op(name)), types, bytes, since: 0 });
  return { queue, batches, add };
}

const op = (name: string) =>
  ({ op: 'delete', type: 1, namespace: '', name, version: 1n, body: Buffer.alloc(0) }) as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const names = (batches: readonly Batch[]) => batches.map(({ names }) => names);

describe('WriteQueue', () => {
  it('sends a lone write at once and gathers those that come meanwhile, of whatever types', async () => {
    const { batches, add } = queueOf();
    const results = [add('a')];
    await turn();
    results.push(add('b', [1]), add('c', [2]));
    await turn();
    expect(names(batches)).toEqual([['a']]);
    await batches[0]?.end();
    expect(names(batches)).toEqual([['a'], ['c', 'b']]);
    expect(batches.every(({ wait }) => !wait)).toBe(true);
    await batches[1]?.end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  });

  it('begins a batch at the end of a turn of the event loop, with all that came in it', async () => {
    const { batches, add } = queueOf();
    const results = [add('a')];
    for (let i = 0; i < 10; i++) await Promise.resolve();
    results.push(add('b'));
    await turn();
    expect(names(batches)).toEqual([['a', 'b']]);
    await batches[0]?.end();
    expect(await Promise.all(results)).toEqual(['a', 'b']);
  });

  it('bounds what waits in bytes, and lets through what is larger when nothing else waits', async () => {
    const { batches, add } = queueOf({ waitingBytes: 20 });
    const huge = add('huge', [1], 1, 50);
    await expect(add('small', [1], 1, 1)).rejects.toBeInstanceOf(StoreUnavailableError);
    await turn();
    await expect(add('small', [1], 1, 1)).rejects.toMatchObject({ undecided: false });
    // What comes back undecided waits on.
    await batches[0]?.end(() => undefined);
    await expect(add('small', [1], 1, 1)).rejects.toBeInstanceOf(StoreUnavailableError);
    await batches[1]?.end();
    expect(await huge).toBe('huge');
    const [a, b] = [add('a', [1], 1, 10), add('b', [1], 1, 10)];
    await expect(add('c', [1], 1, 1)).rejects.toBeInstanceOf(StoreUnavailableError);
    await turn();
    await batches[2]?.end();
    expect(await Promise.all([a, b])).toEqual(['a', 'b']);
    void add('d', [1], 1, 20);
    await turn();
    expect(names(batches).at(-1)).toEqual(['d']);
  });

  it('bounds batches in writes and bytes; a larger unit goes alone', async () => {
    const { batches, add } = queueOf({ items: 3, bytes: 10 });
    const results = [add('a'), add('b'), add('c'), add('d'), add('set', [1], 5), add('large', [1], 1, 50), add('e')];
    await turn();
    for (let i = 0; i < batches.length; i++) await batches[i]?.end();
    expect(names(batches)).toEqual([['a', 'b', 'c'], ['d'], ['set,set,set,set,set'], ['large'], ['e']]);
    await Promise.all(results);
  });

  it('lets what is undecided wait for its own lanes alone, in its order, while others go on', async () => {
    const { batches, add } = queueOf();
    const results = [add('a1', [1]), add('b1', [2]), add('a2', [1])];
    for (const result of results) result.catch(() => undefined);
    await turn();
    void add('a3', [1]).catch(() => undefined);
    await batches[0]?.end((name) => (name.startsWith('a') ? undefined : name));
    expect(await results[1]).toBe('b1');
    expect(batches.slice(1).map(({ wait, names }) => [wait, names])).toEqual([[true, ['a1', 'a2', 'a3']]]);
    const later = [add('b2', [2]), add('a4', [1])];
    await turn();
    expect(batches.slice(2).map(({ wait, names }) => [wait, names])).toEqual([[false, ['b2']]]);
    await batches[2]?.end();
    // Nobody was let in: the next ones wait apart again. Then they were, and go with the others.
    await batches[1]?.end(() => new Error('too late'));
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(batches.slice(3).map(({ wait, names }) => [wait, names])).toEqual([[true, ['a4']]]);
    await batches[3]?.end();
    expect(await Promise.all(later)).toEqual(['b2', 'a4']);
    void add('a5', [1]);
    await turn();
    expect(batches.at(-1)).toMatchObject({ wait: false, names: ['a5'] });
  });

  it('has one batch of a type under way, and a set waits its turn without being overtaken for ever', async () => {
    const { batches, add } = queueOf({ items: 1 });
    const results = [add('a1', [1])];
    await turn();
    results.push(add('set', [1, 2], 2), add('b1', [2]), add('a2', [1]));
    await turn();
    expect(names(batches)).toEqual([['a1']]);
    for (let i = 0; i < batches.length; i++) await batches[i]?.end();
    expect(names(batches)[1]).toEqual(['set,set']);
    expect(await Promise.all(results)).toEqual(['a1', 'set,set', 'b1', 'a2']);
  });

  it('lets a type take its turn beside another that always has more than a batch holds', async () => {
    const { batches, add } = queueOf({ items: 2 });
    for (let i = 0; i < 6; i++) void add(`busy-${i}`, [1]);
    const results = [add('b', [2]), add('c', [3])];
    await turn();
    for (let i = 0; i < 4; i++) {
      void add('busy', [1]);
      void add('busy', [1]);
      await batches[i]?.end();
    }
    expect(names(batches.slice(0, 4)).flat()).toEqual(expect.arrayContaining(['b', 'c']));
    expect(await Promise.all(results)).toEqual(['b', 'c']);
  });

  it('settles each on its own, and all alike when the batch fails', async () => {
    const failures: Error[] = [new Error('first')];
    const queue = new WriteQueue<string>(
      async (_, take) => {
        const failure = failures.pop();
        if (failure) throw failure;
        return take().map(() => 'done');
      },
      { items: 10, bytes: 10, waiting: 10, waitingBytes: 100 },
    );
    const unit = { ops: [op('x')], types: [1], bytes: 1, since: 0 };
    const both = await Promise.allSettled([queue.add(unit), queue.add(unit)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await queue.add(unit)).toBe('done');
  });

  it('refuses more than may wait, and is drained when nothing is left', async () => {
    const { queue, batches, add } = queueOf({ waiting: 2 });
    const accepted = [add('a'), add('b')];
    await expect(add('c')).rejects.toBeInstanceOf(BusyStoreError);
    await turn();
    await batches[0]?.end();
    await Promise.all(accepted);
    await queue.drained();
    const more = [add('d'), add('e')];
    await turn();
    await batches[1]?.end();
    await Promise.all(more);
  });
});
