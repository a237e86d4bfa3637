import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { CacheEntry, entryOf } from '../state/cache-entry.js';
import { State } from '../state/state.js';
import { bodyOf, describeRow, selecting } from '../testing/fixtures.js';
import { Retries } from './retries.js';

const failure = new Error('refused');
const failed = (name: string, version = 1n): CacheEntry => {
  const row = { namespace: 'a', name, uid: name, version, storedVersion: 'v1', defaults: 0, body: bodyOf({}) };
  return entryOf({ ...row, failure }, describeRow);
};

/** Retries with a converter that takes what it is told to. */
function stage() {
  const clock = new ManualClock();
  const calls: string[][] = [];
  const made: string[] = [];
  const gone = new Set<string>();
  const names = new Map<Buffer, string>();
  const converter = { takes: (_name: string) => false, isDown: false };
  const retries = new Retries({
    type: 1,
    clock,
    conversion: {
      key: 'k',
      version: 'v2',
      defaults: 0,
      async convert(_type, bodies) {
        const asked = bodies.map(({ body }) => names.get(body) ?? '');
        calls.push(asked);
        if (converter.isDown) throw new Error('down');
        return asked.map((name) => (converter.takes(name) ? Buffer.from(name) : failure));
      },
    },
    isCurrent: ({ name }) => !gone.has(name),
    onMade: ({ name }) => made.push(name),
  });
  const add = (...all: string[]): void => {
    for (const entry of all.map((name) => failed(name))) {
      names.set(entry.body, entry.name);
      retries.add(entry);
    }
  };
  return { clock, calls, made, gone, converter, retries, names, add };
}

it('asks for one at a time, less and less often, and for all the others as soon as one is taken', async () => {
  const { clock, calls, made, converter, add } = stage();
  add('a', 'b', 'c');
  await clock.advance(500);
  await clock.advance(1_000);
  await clock.advance(2_000);
  await clock.advance(4_000);
  expect(calls).toEqual([['a'], ['b'], ['c'], ['a']]);
  converter.takes = () => true;
  await clock.advance(5_000);
  expect(calls.slice(4)).toEqual([['b'], ['c', 'a']]);
  expect(made).toEqual(['b', 'c', 'a']);
  await clock.advance(60_000);
  expect([calls.length, clock.pending]).toEqual([6, 0]);
});

it('asks for each of many about once a minute', async () => {
  const { clock, calls, add } = stage();
  const names = Array.from({ length: 100 }, (_, i) => `o${i}`);
  add(...names);
  await clock.advance(63_000);
  expect(new Set(calls.flat())).toEqual(new Set(names));
  expect(calls.length).toBeLessThan(120);
});

it('has one state of each object in the line, however often it changes, and that in its turn', async () => {
  const { clock, calls, converter, retries, add } = stage();
  add('a', 'b');
  for (let time = 0; time < 10_000; time++) add('a');
  expect(retries.size).toBe(2);
  await clock.advance(500);
  expect(calls).toEqual([['a']]);
  converter.takes = () => true;
  await clock.advance(5_000);
  expect(calls).toEqual([['a'], ['b'], ['a']]);
  expect([retries.size, clock.pending]).toEqual([0, 0]);
});

it('goes on with what an object has changed to while it was tried', async () => {
  const { clock, calls, converter, retries, names, add } = stage();
  const changed = failed('a', 2n);
  names.set(changed.body, 'a, changed');
  converter.takes = () => {
    if (calls.length === 1) retries.add(changed);
    return calls.length > 1;
  };
  add('a');
  await clock.advance(5_000);
  expect(calls).toEqual([['a'], ['a, changed']]);
  expect([retries.size, clock.pending]).toEqual([0, 0]);
});

it('forgets what has changed since, keeps what a converter that is down was asked for, and ends', async () => {
  const { clock, calls, made, gone, converter, retries, add } = stage();
  add('a', 'b');
  gone.add('a');
  converter.isDown = true;
  await clock.advance(500);
  converter.isDown = false;
  converter.takes = () => true;
  await clock.advance(1_000);
  expect([calls, made]).toEqual([[['b'], ['b']], ['b']]);
  add('c');
  retries.close();
  await clock.advance(10_000);
  expect([calls.length, clock.pending]).toEqual([2, 0]);
});

it('is about states that selectors do not pass over, though no index has them, until they are there', () => {
  const known = (name: string, node: string): CacheEntry =>
    new CacheEntry('a', name, name, 1n, bodyOf({ node }), describeRow);
  const numbered = Array.from({ length: 600 }, (_, i) => `o${String(i).padStart(3, '0')}`);
  const entries = numbered.map((name, i) => (name === 'o300' ? failed(name) : known(name, `n${i % 2}`)));
  const state = new State(1n, entries, 4);
  const clock = new ManualClock();
  const selection = selecting({ 'field:spec.nodeName': 'n1' });
  const listed = async (): Promise<string[]> => {
    const prepared = state.prepare({ selection }, clock);
    await clock.advance(10);
    await prepared;
    return state.list({ selection }).pages.flatMap((page) => page.map(({ name }) => name));
  };
  const odd = numbered.filter((_, i) => i % 2 === 1);
  return listed().then(async (names) => {
    expect(names).toEqual([...odd, 'o300'].sort());
    expect(state.indexes).toBe(1);
    const { pages } = state.list({ selection: selecting({ 'field:metadata.name': 'o301' }) });
    expect(pages.flat()).toHaveLength(1);
    state.set(known('o300', 'n0'));
    expect(await listed()).toEqual(odd);
    state.set(failed('o001'));
    expect(await listed()).toEqual(odd);
    state.delete({ namespace: 'a', name: 'o001' });
    expect(await listed()).toEqual(odd.slice(1));
    expect([...state.failed]).toEqual([]);
  });
});
