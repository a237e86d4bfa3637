import { type Clock, systemClock } from '@orch/runtime/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyOf, describeRow, selecting } from '../testing/fixtures.js';
import type { EqualityKey } from './attributes.js';
import { CacheEntry } from './cache-entry.js';
import { State } from './state.js';

let versions = 0n;
/** Rows that were looked at as a list is made. */
let described = 0;

function pod(number: number, node: number, labels: Record<string, string> = {}): CacheEntry {
  versions += 1n;
  const body = bodyOf({ node: `n${node}`, labels: { app: `a${number % 10}`, ...labels } });
  const name = `p${String(number).padStart(5, '0')}`;
  return new CacheEntry(`ns${number % 3}`, name, 'u', versions, body, (row) => {
    described++;
    return describeRow(row);
  });
}

const byKey = (a: CacheEntry, b: CacheEntry): number =>
  a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1;

function stateOf(count: number, maxIndexes = 4): State {
  const pods = Array.from({ length: count }, (_, number) => pod(number, number % 100)).sort(byKey);
  return new State(versions, pods, maxIndexes);
}

type Equals = Partial<Record<EqualityKey, string>>;

const interestIn = (equals: Equals, namespace?: string) => ({
  selection: selecting(equals),
  ...(namespace === undefined ? {} : { namespace }),
});

const listed = (state: State, equals: Equals, namespace?: string): string[] =>
  state
    .list(interestIn(equals, namespace))
    .pages.flat()
    .map((entry) => `${entry.namespace}/${entry.name}`);

async function names(state: State, equals: Equals, namespace?: string): Promise<string[]> {
  await state.prepare(interestIn(equals, namespace), systemClock);
  return listed(state, equals, namespace);
}

const scan = (state: State, matches: (entry: CacheEntry) => boolean): string[] =>
  state
    .list({})
    .pages.flat()
    .filter(matches)
    .map((entry) => `${entry.namespace}/${entry.name}`);

describe('the indexes of a state', () => {
  it('find what a scan finds, while objects come, change and go', async () => {
    const state = stateOf(1000);
    for (let round = 0; round < 300; round++) {
      const number = (round * 37) % 1100;
      const changed = pod(number, (round * 7) % 100, round % 2 === 0 ? { app: 'a3' } : {});
      if (round % 5 === 0) state.delete(changed);
      else state.set(changed);
      if (round % 20 !== 0) continue;
      expect(await names(state, { 'field:spec.nodeName': 'n7' })).toEqual(
        scan(state, ({ attributes }) => attributes.fields['spec.nodeName'] === 'n7'),
      );
      expect(await names(state, { 'label:app': 'a3' }, 'ns1')).toEqual(
        scan(state, ({ namespace, attributes }) => namespace === 'ns1' && attributes.labels.app === 'a3'),
      );
      expect(await names(state, { 'field:metadata.name': 'p00037' })).toEqual(
        scan(state, ({ name }) => name === 'p00037'),
      );
    }
    expect(state.indexes).toBe(3);
  });

  it('look only at what the value names', async () => {
    const state = stateOf(5000);
    await names(state, { 'field:spec.nodeName': 'n1' });
    const before = described;
    expect(await names(state, { 'field:spec.nodeName': 'n2', 'label:app': 'a2' })).toHaveLength(50);
    state.set(pod(2, 3));
    expect(await names(state, { 'field:spec.nodeName': 'n3' })).toHaveLength(51);
    expect(described - before).toBe(1);
  });

  it('parse nothing but the match where a name says it', async () => {
    const state = stateOf(5000);
    const before = described;
    expect(await names(state, { 'field:metadata.name': 'p00042' })).toEqual(['ns0/p00042']);
    expect(await names(state, { 'field:metadata.name': 'p00042', 'field:metadata.namespace': 'ns1' })).toEqual([]);
    expect(await names(state, { 'field:metadata.name': 'nobody' })).toEqual([]);
    expect(described - before).toBe(1);
  });

  it('are as many as allowed; further selectors are answered by a scan until one has long been unused', async () => {
    const state = stateOf(600, 2);
    expect(await names(state, { 'label:app': 'a1' })).toHaveLength(60);
    expect(await names(state, { 'field:spec.nodeName': 'n1' })).toHaveLength(6);
    expect(await names(state, { 'label:tier': 'x' })).toEqual([]);
    state.set(pod(1, 1, { tier: 'x' }));
    expect(await names(state, { 'label:tier': 'x' })).toEqual(['ns1/p00001']);
    expect(state.indexes).toBe(2);
    for (let asked = 0; asked < 1000; asked++) listed(state, { 'label:app': 'a1' });
    expect(await names(state, { 'label:tier': 'x' })).toEqual(['ns1/p00001']);
    expect(state.indexes).toBe(2);
  });

  it('are not made for few objects', async () => {
    const state = stateOf(100);
    expect(await names(state, { 'label:app': 'a1' })).toHaveLength(10);
    expect(state.indexes).toBe(0);
  });

  it('are built a slice at a time, and right at every moment while the state changes', async () => {
    const change = fc.record({
      number: fc.nat(2_200),
      node: fc.nat(20),
      label: fc.constantFrom('a1', 'a2', 'x'),
      gone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { minLength: 5, maxLength: 40 }), async (turns) => {
        const state = stateOf(2_000);
        const clock = new SlicingClock();
        const asked: Equals[] = [
          { 'label:app': 'a1' },
          { 'field:spec.nodeName': 'n3' },
          { 'field:metadata.name': 'p00100' },
        ];
        const expectRight = () => {
          for (const equals of asked) {
            const { matches } = selecting(equals);
            expect(listed(state, equals)).toEqual(scan(state, ({ attributes }) => matches(attributes)));
          }
        };
        let ready = 0;
        const prepare = () => asked.map((equals) => state.prepare(interestIn(equals), clock).then(() => ready++));
        // Those who ask while an index is being built share it.
        const preparing = [...prepare(), ...prepare()];
        for (const changes of turns) {
          for (const { number, node, label, gone } of changes) {
            const changed = pod(number, node, { app: label });
            if (gone) state.delete(changed);
            else state.set(changed);
          }
          expectRight();
          await clock.turn();
        }
        while (ready < preparing.length) await clock.turn();
        await Promise.all(preparing);
        expect(state.indexes).toBe(3);
        expectRight();
      }),
      { numRuns: 25, seed: 20 },
    );
  });

  it('hold nobody up while they are built', async () => {
    const state = stateOf(5_000);
    const clock = new SlicingClock();
    let ready = false;
    const preparing = state.prepare(interestIn({ 'label:app': 'a1' }), clock).then(() => {
      ready = true;
    });
    const before = described;
    let most = 0;
    for (let at = described; !ready; at = described) {
      await clock.turn();
      most = Math.max(most, described - at);
    }
    await preparing;
    expect(described - before).toBeGreaterThan(4_900);
    expect(most).toBeLessThanOrEqual(64);
    expect(state.indexes).toBe(1);
  });
});

/** Every look at it is two milliseconds later than the one before; turns of the event loop are made by hand. */
class SlicingClock implements Clock {
  #now = 0;
  #tasks: (() => void)[] = [];

  now(): number {
    this.#now += 2;
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  after(): () => void {
    throw new Error('nothing here waits');
  }

  soon(task: () => void): void {
    this.#tasks.push(task);
  }

  async turn(): Promise<void> {
    for (const task of this.#tasks.splice(0)) task();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the pages of a state', () => {
  it('are the same where nothing has changed, and stay as they were where it has', () => {
    const state = stateOf(3000);
    const before = state.list({}).pages;
    expect(state.list({}).pages).toEqual(before);
    expect(state.list({}).pages.every((page, at) => page === before[at])).toBe(true);
    const old = before.flat();
    state.set(pod(1500, 1));
    const after = state.list({}).pages;
    expect(after.filter((page) => !before.includes(page))).toHaveLength(1);
    expect(before.flat()).toEqual(old);
    const within = state.list({ namespace: 'ns1' }).pages;
    const again = state.list({ namespace: 'ns1' }).pages;
    expect(again.every((page, at) => page === within[at])).toBe(true);
  });

  it('are bounded in bytes, and joined when they get sparse', () => {
    const large = (number: number) =>
      new CacheEntry('a', String(number).padStart(4, '0'), 'u', 1n, Buffer.alloc(100 << 10), describeRow);
    const state = new State(1n, [], 4);
    for (let number = 0; number < 100; number++) state.set(large(number));
    for (const page of state.list({}).pages) expect(page.length).toBeLessThan(4);
    const pods = stateOf(3000);
    for (const entry of pods.list({}).pages.flat()) if (Number(entry.name.slice(1)) % 50 !== 0) pods.delete(entry);
    expect(pods.size).toBe(60);
    expect(pods.list({}).pages.length).toBeLessThan(8);
  });
});
