import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EqualityKey, valueIn } from './attributes.js';
import { CacheEntry } from './cache-entry.js';
import { type ChangeEvent, Ring } from './ring.js';
import { bodyOf, describeRow } from './testing/fixtures.js';

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

describe('Ring.seek', () => {
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
            const event = ring.at(expected) ?? expect.unreachable();
            if (valueIn(event.entry, step.key) === value) break;
            if (event.prior !== undefined && valueIn(event.prior, step.key) === value) break;
          }
          const found = ring.seek([step.key, value], from, now);
          // One key more than are indexed is looked for event by event.
          if (found !== from) expect(found).toBe(expected);
          else expect(expected).toBeGreaterThanOrEqual(found);
        }
      }),
      { seed: 41, numRuns: 300 },
    );
  });

  it('keeps up with the ring for those who catch up on one value of many', () => {
    const ring = new Ring(0n, 60_000, 64 << 20);
    for (let number = 0; number < 2000; number++) ring.push(eventOf(entryOf(number, number % 500), undefined, 0));
    expect(ring.seek(['field:spec.nodeName', 'n7'], 0, 0)).toBe(7);
    expect(ring.seek(['field:spec.nodeName', 'n7'], 8, 0)).toBe(507);
    expect(ring.seek(['field:spec.nodeName', 'n7'], 1508, 0)).toBe(2000);
    ring.push(eventOf(entryOf(1, 7), entryOf(1, 8), 0));
    expect(ring.seek(['field:spec.nodeName', 'n7'], 1508, 0)).toBe(2000);
    expect(ring.seek(['field:spec.nodeName', 'n8'], 1509, 0)).toBe(2000);
    expect(ring.seek(['field:spec.nodeName', 'nobody'], 0, 0)).toBe(2001);
  });
});
