import { describe, expect, it } from 'vitest';
import { sleep } from '../clock.js';
import { ManualClock } from '../testing/manual-clock.js';
import type { Reflector, ReflectorTarget } from './informer.js';
import { SharedIndexInformer } from './shared-index-informer.js';

interface Thing {
  readonly colour: string;
}

const RETRY = { firstMs: 100, longestMs: 1_000 };
const set = (colour: string) => ({ op: 'set', object: { colour } }) as const;

/** An informer whose source does as the test says. */
function informed() {
  const clock = new ManualClock();
  const informer = new SharedIndexInformer<Thing>({ colour: ({ colour }) => (colour === '' ? [] : [colour]) });
  const told: string[] = [];
  const errors: string[] = [];
  const source = { lists: 0, isDown: false, objects: { a: { colour: 'red' } } as Record<string, Thing> };
  let gap = (_error?: Error): void => undefined;
  let target: ReflectorTarget<Thing> | undefined;
  const reflector: Reflector<Thing> = {
    async listAndWatch(to, signal) {
      source.lists++;
      if (source.isDown) throw new Error('down');
      target = to;
      to.replace(new Map(Object.entries(source.objects)));
      await new Promise<void>((resolve, reject) => {
        gap = (error) => (error ? reject(error) : resolve());
        signal.addEventListener('abort', () => resolve());
      });
    },
    confirm: async () => source.lists,
  };
  informer.onChange((changed) => void told.push([...changed].join()));
  const run = () =>
    informer.run(reflector, {
      onError: (error) => void errors.push((error as Error).message),
      retry: RETRY,
      sleep: (ms, signal) => sleep(clock, ms, signal),
    });
  const apply = (...changes: [string, ReturnType<typeof set> | { op: 'delete' }][]) => target?.apply(new Map(changes));
  return { clock, informer, told, errors, source, run, apply, gap: (error?: Error) => gap(error) };
}

describe('an informer', () => {
  it('holds what is listed and what changes, by key and by index', async () => {
    const { informer, told, run, apply } = informed();
    expect([informer.hasSynced, informer.size]).toEqual([false, 0]);
    await run();
    expect([informer.hasSynced, informer.get('a'), informer.has('b')]).toEqual([true, { colour: 'red' }, false]);
    apply(['b', set('red')], ['a', set('blue')]);
    expect([...informer.byIndex('colour', 'red')]).toEqual([informer.get('b')]);
    expect([...informer.byIndex('colour', 'blue')]).toEqual([informer.get('a')]);
    apply(['a', set('')], ['b', { op: 'delete' }]);
    expect([...informer.byIndex('colour', 'red'), ...informer.byIndex('colour', 'blue')]).toEqual([]);
    expect([[...informer.keys()], [...informer.list()], told]).toEqual([['a'], [{ colour: '' }], ['a', 'b,a', 'a,b']]);
    expect(() => informer.byIndex('size', '1')).toThrow(RangeError);
  });

  it('tells handlers what was there, and the events since', async () => {
    const { informer, run, apply, gap, source, clock } = informed();
    await run();
    const events: string[] = [];
    const end = informer.subscribe({
      added: ({ colour }) => void events.push(`+${colour}`),
      updated: (before, after) => void events.push(`${before.colour}>${after.colour}`),
      deleted: ({ colour }, missed) => void events.push(`-${colour}${missed ? ' missed' : ''}`),
    });
    apply(['a', set('blue')], ['b', set('green')]);
    apply(['b', { op: 'delete' }], ['unknown', { op: 'delete' }]);
    source.objects = { c: { colour: 'white' } };
    gap();
    await clock.settle();
    expect(events).toEqual(['+red', 'red>blue', '+green', '-green', '-blue missed', '+white']);
    end();
    apply(['c', { op: 'delete' }]);
    expect(events).toHaveLength(6);
  });

  it('tells handlers that subscribe within a handler of each object once', async () => {
    const { informer, run, apply } = informed();
    await run();
    const events: string[] = [];
    let isFirst = true;
    informer.subscribe({
      added: () => {
        if (isFirst) isFirst = false;
        else informer.subscribe({ added: ({ colour }) => void events.push(colour) });
      },
    });
    apply(['b', set('green')]);
    expect(events.sort()).toEqual(['green', 'red']);
  });

  it('lists again at once after a gap, and tells all keys', async () => {
    const { informer, told, run, gap, source, clock } = informed();
    await run();
    source.objects = { ...source.objects, b: { colour: 'blue' } };
    gap();
    await clock.settle();
    expect([source.lists, [...informer.keys()], told]).toEqual([2, ['a', 'b'], ['a', 'a,b']]);
  });

  it('tries again with backoff, from the start after a change', async () => {
    const { informer, run, gap, source, errors, clock, apply } = informed();
    source.isDown = true;
    const synced = run();
    await clock.advance(99);
    expect([source.lists, informer.hasSynced]).toEqual([1, false]);
    await clock.advance(1);
    await clock.advance(199);
    expect(source.lists).toBe(2);
    source.isDown = false;
    await clock.advance(1);
    await synced;
    apply(['b', set('red')]);
    gap(new Error('broken'));
    await clock.advance(99);
    expect([source.lists, errors]).toEqual([3, ['down', 'down', 'broken']]);
    await clock.advance(1);
    expect(source.lists).toBe(4);
  });

  it('goes on though a subscriber throws', async () => {
    const { informer, run, apply, errors } = informed();
    informer.onChange(() => {
      throw new Error('listener');
    });
    informer.subscribe({
      added() {
        throw new Error('handler');
      },
    });
    await run();
    apply(['b', { op: 'delete' }]);
    expect(errors).toEqual(['handler', 'listener', 'listener']);
  });

  it('ends while it waits, and keeps its objects', async () => {
    const { informer, run, source, clock, gap } = informed();
    await expect(informer.confirm()).rejects.toThrow('does not run');
    await run();
    expect(await informer.confirm()).toBe(1);
    source.isDown = true;
    gap(new Error('broken'));
    await clock.settle();
    await informer.stop();
    await clock.advance(10_000);
    expect([source.lists, informer.size]).toEqual([1, 1]);
  });

  it('that never listed ends without having synced', async () => {
    const { informer, run, source } = informed();
    source.isDown = true;
    const synced = run();
    await informer.stop();
    await synced;
    expect(informer.hasSynced).toBe(false);
  });
});
