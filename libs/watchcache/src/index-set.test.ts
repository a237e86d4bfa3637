import { describe, expect, it } from 'vitest';
import type { EqualityKey } from './attributes.js';
import { CacheEntry } from './cache-entry.js';
import { State } from './state.js';
import { bodyOf, describeRow, selecting } from './testing/fixtures.js';

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

const names = (state: State, equals: Partial<Record<EqualityKey, string>>, namespace?: string): string[] =>
  state
    .list({ selection: selecting(equals), ...(namespace === undefined ? {} : { namespace }) })
    .pages.flat()
    .map((entry) => `${entry.namespace}/${entry.name}`);

const scan = (state: State, matches: (entry: CacheEntry) => boolean): string[] =>
  state
    .list({})
    .pages.flat()
    .filter(matches)
    .map((entry) => `${entry.namespace}/${entry.name}`);

describe('the indexes of a state', () => {
  it('find what a scan finds, while objects come, change and go', () => {
    const state = stateOf(1000);
    for (let round = 0; round < 300; round++) {
      const number = (round * 37) % 1100;
      const changed = pod(number, (round * 7) % 100, round % 2 === 0 ? { app: 'a3' } : {});
      if (round % 5 === 0) state.delete(changed);
      else state.set(changed);
      if (round % 20 !== 0) continue;
      expect(names(state, { 'field:spec.nodeName': 'n7' })).toEqual(
        scan(state, ({ attributes }) => attributes.fields['spec.nodeName'] === 'n7'),
      );
      expect(names(state, { 'label:app': 'a3' }, 'ns1')).toEqual(
        scan(state, ({ namespace, attributes }) => namespace === 'ns1' && attributes.labels.app === 'a3'),
      );
      expect(names(state, { 'field:metadata.name': 'p00037' })).toEqual(scan(state, ({ name }) => name === 'p00037'));
    }
    expect(state.indexes).toBe(3);
  });

  it('look only at what the value names', () => {
    const state = stateOf(5000);
    names(state, { 'field:spec.nodeName': 'n1' });
    const before = described;
    expect(names(state, { 'field:spec.nodeName': 'n2', 'label:app': 'a2' })).toHaveLength(50);
    state.set(pod(2, 3));
    expect(names(state, { 'field:spec.nodeName': 'n3' })).toHaveLength(51);
    expect(described - before).toBe(1);
  });

  it('parse nothing but the match where a name says it', () => {
    const state = stateOf(5000);
    const before = described;
    expect(names(state, { 'field:metadata.name': 'p00042' })).toEqual(['ns0/p00042']);
    expect(names(state, { 'field:metadata.name': 'p00042', 'field:metadata.namespace': 'ns1' })).toEqual([]);
    expect(names(state, { 'field:metadata.name': 'nobody' })).toEqual([]);
    expect(described - before).toBe(1);
  });

  it('are as many as allowed; further selectors are answered by a scan until one has long been unused', () => {
    const state = stateOf(600, 2);
    expect(names(state, { 'label:app': 'a1' })).toHaveLength(60);
    expect(names(state, { 'field:spec.nodeName': 'n1' })).toHaveLength(6);
    expect(names(state, { 'label:tier': 'x' })).toEqual([]);
    state.set(pod(1, 1, { tier: 'x' }));
    expect(names(state, { 'label:tier': 'x' })).toEqual(['ns1/p00001']);
    expect(state.indexes).toBe(2);
    for (let asked = 0; asked < 1000; asked++) names(state, { 'label:app': 'a1' });
    expect(names(state, { 'label:tier': 'x' })).toEqual(['ns1/p00001']);
    expect(state.indexes).toBe(2);
  });

  it('are not made for few objects', () => {
    const state = stateOf(100);
    expect(names(state, { 'label:app': 'a1' })).toHaveLength(10);
    expect(state.indexes).toBe(0);
  });
});

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
