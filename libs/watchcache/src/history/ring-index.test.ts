import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EqualityKey, valueIn } from '../state/attributes.js';
import { CacheEntry } from '../state/cache-entry.js';
import { bodyOf, describeRow } from '../testing/fixtures.js';
import type { ChangeEvent } from './change-event.js';
import { Ring } from './ring.js';

let versions = 0n;
const entryOf = (name: number, node: number): CacheEntry => {
  versions += 1n;
  const body = bodyOf({ node: `n${node}`, labels: { app: `a${name % 3}` } });
  return new CacheEntry('a', `o${name}`, 'u', versions, body, describeRow);
};

const eventOf = (entry: CacheEntry, prior: CacheEntry | undefined, at: number): ChangeEvent => ({
  version: entry.version,
  op: prior === undefined ? 'create' : 'update',
  entry,
  prior,
  at,
  frames: undefined,
});

const KEYS: readonly EqualityKey[] = [
  'field:metadata.name',
  'field:spec.nodeName',
  'label:app',
  'label:none',
  'label:b',
];

const concerns = (event: ChangeEvent, key: EqualityKey, value: string): boolean =>
  valueIn(event.entry, key) === value || (event.prior !== undefined && valueIn(event.prior, key) === value);

/** As a watcher searches, in as many steps as it takes; how many events it looked at beside. */
function search(ring: Ring, key: EqualityKey, value: string, from: number, now = 0) {
  let cursor = from;
  for (let looked = 0; ; ) {
    const end = ring.prepare(key, cursor, now);
    for (; cursor < end; cursor++) {
      cursor = Math.min(end, ring.seek([key, value], cursor));
      const event = cursor < end ? ring.at(cursor) : undefined;
      if (event === undefined) break;
      looked++;
      if (concerns(event, key, value)) return { cursor, looked };
    }
    if (cursor >= ring.next) return { cursor, looked };
  }
}

describe('a search in the ring', () => {
  it('finds the next event that has a value before or after, as a look at each would', () => {
    const put = fc.record({ name: fc.nat(20), node: fc.nat(4), pause: fc.constantFrom(0, 0, 0, 1000, 20_000) });
    const ask = fc.record({ key: fc.constantFrom(...KEYS), value: fc.nat(5), from: fc.nat(400) });
    fc.assert(
      fc.property(fc.array(fc.oneof(put, put, put, ask), { maxLength: 400 }), (steps) => {
        const ring = new Ring(0n, 60_000, 40_000);
        const objects = new Map<number, CacheEntry>();
        let now = 0;
        for (const step of steps) {
          if ('name' in step) {
            now += step.pause;
            const entry = entryOf(step.name, step.node);
            ring.push(eventOf(entry, objects.get(step.name), now));
            objects.set(step.name, entry);
            continue;
          }
          const prefix = step.key === 'field:metadata.name' ? 'o' : step.key === 'label:app' ? 'a' : 'n';
          const value = `${prefix}${step.value}`;
          const from = Math.max(step.from, ring.first);
          let expected = from;
          for (; expected < ring.next; expected++) {
            if (concerns(ring.at(expected) ?? expect.unreachable(), step.key, value)) break;
          }
          // One key more than are indexed is looked for event by event.
          expect(search(ring, step.key, value, from, now).cursor).toBe(expected);
        }
      }),
      { seed: 41, numRuns: 300 },
    );
  });

  it('keeps up with the ring for those who catch up on one value of many', () => {
    const ring = new Ring(0n, 60_000, 64 << 20);
    for (let number = 0; number < 2000; number++) ring.push(eventOf(entryOf(number, number % 500), undefined, 0));
    const found = (node: string, from: number) => search(ring, 'field:spec.nodeName', node, from);
    expect(found('n7', 0)).toEqual({ cursor: 7, looked: 1 });
    expect(found('n7', 8)).toEqual({ cursor: 507, looked: 1 });
    expect(found('nobody', 0)).toEqual({ cursor: 2000, looked: 0 });
    expect(found('n7', 1508)).toEqual({ cursor: 2000, looked: 0 });
    ring.push(eventOf(entryOf(1, 7), entryOf(1, 8), 0));
    expect(found('n7', 1508)).toEqual({ cursor: 2000, looked: 1 });
    expect(found('n8', 1509)).toEqual({ cursor: 2000, looked: 1 });
    expect(found('nobody', 0)).toEqual({ cursor: 2001, looked: 0 });
  });

  it('is prepared a slice at a time, while those who are near the end look for themselves', () => {
    const ring = new Ring(0n, 60_000, 64 << 20);
    let parsed = 0;
    const describe = (...args: Parameters<typeof describeRow>) => {
      parsed++;
      return describeRow(...args);
    };
    for (let number = 0; number < 5000; number++) {
      const entry = new CacheEntry('a', `o${number}`, 'u', BigInt(number), bodyOf({ node: `n${number}` }), describe);
      ring.push(eventOf(entry, undefined, 0));
    }
    expect(search(ring, 'field:spec.nodeName', 'n4990', 4989)).toEqual({ cursor: 4990, looked: 2 });
    expect(parsed).toBeLessThan(300);
    expect(ring.prepare('field:spec.nodeName', 0, 0)).toBeLessThan(600);
  });
});
