import { expect, it } from 'vitest';
import type { ChangeEvent } from '../history/change-event.js';
import { CacheEntry } from '../state/cache-entry.js';
import { bodyOf, describeRow, selecting, type TestObject, testEncoder } from '../testing/fixtures.js';
import { AudienceIndex } from './audience-index.js';
import { SharedInterest } from './interest.js';
import { Audience } from './watcher.js';

function indexOf(selections: readonly Record<string, string>[]): AudienceIndex<Audience> {
  const index = new AudienceIndex<Audience>();
  for (const equals of selections) {
    const shared = new SharedInterest('', { selection: selecting(equals) });
    index.add(new Audience(JSON.stringify(equals), shared, testEncoder, 128));
  }
  return index;
}

const entry = (object: TestObject): CacheEntry => new CacheEntry('a', 'one', 'u', 1n, bodyOf(object), describeRow);

function found(index: AudienceIndex<Audience>, now: TestObject, before?: TestObject): string[] {
  const event: ChangeEvent = {
    version: 1n,
    op: 'update',
    entry: entry(now),
    prior: before && entry(before),
    at: 0,
    frames: undefined,
  };
  const keys: string[] = [];
  index.forEach(event, ({ key }) => keys.push(key));
  return keys.sort();
}

it.each([1, 100])('each audience is found once that has a value of now or before, among %i keys', (others) => {
  const wanted: Record<string, string>[] = [
    { 'label:app': 'x' },
    { 'label:app': 'y' },
    { 'label:old': 'z' },
    { 'field:spec.nodeName': 'n1' },
  ];
  const unwanted = Array.from({ length: others }, (_, i) => ({ [`label:other${i}`]: 'v' }));
  const index = indexOf([...wanted, ...unwanted, { 'label:app': 'z' }, { 'field:spec.nodeName': 'n2' }]);
  const before = { labels: { app: 'y', old: 'z' }, node: 'n1' };
  const all = wanted.map((equals) => JSON.stringify(equals)).sort();
  expect(found(index, { labels: { app: 'x' }, node: 'n1' }, before)).toEqual(all);
  expect(found(index, { labels: { app: 'x' } })).toEqual(['{"label:app":"x"}']);
});

it('an event costs what its object has, not what keys watches have thought of', () => {
  let asked = 0;
  const labels = new Proxy({ app: 'x' } as Record<string, string>, {
    getOwnPropertyDescriptor: (target, name) => {
      asked++;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  const index = indexOf(Array.from({ length: 10_000 }, (_, i) => ({ [`label:k${i}`]: 'v' })));
  const own = new CacheEntry('a', 'one', 'u', 1n, bodyOf({}), () => ({ labels, fields: {} }));
  const event: ChangeEvent = { version: 1n, op: 'create', entry: own, prior: undefined, at: 0, frames: undefined };
  index.forEach(event, () => expect.unreachable());
  expect(asked).toBeLessThan(10);
});
