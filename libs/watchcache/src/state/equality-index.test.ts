import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bodyOf, describeRow } from '../testing/fixtures.js';
import { CacheEntry } from './cache-entry.js';
import { EqualityIndex } from './equality-index.js';
import { compareKeys } from './key-order.js';

const entry = (name: string, version: number, value: string): CacheEntry =>
  new CacheEntry('a', name, name, BigInt(version), bodyOf({ labels: { app: value } }), describeRow);

const namesOf = (index: EqualityIndex, value: string): string[] =>
  [...(index.get(value)?.iterate() ?? [])].map(({ name, version }) => `${name}@${version}`);

it('finds what has a value, one entry or several, whatever changes, and takes nothing when it is empty', () => {
  const change = fc.record({ name: fc.constantFrom('o1', 'o2', 'o3', 'o4'), value: fc.constantFrom('x', 'y', '') });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5 }), fc.array(change, { maxLength: 30 }), (first, changes) => {
      const held = new Map<string, CacheEntry>();
      for (const { name, value } of first) if (value !== '') held.set(name, entry(name, 0, value));
      const index = new EqualityIndex('label:app');
      for (const _ of index.fill([[...held.values()].sort(compareKeys)]));
      for (const [at, { name, value }] of changes.entries()) {
        const before = held.get(name);
        const after = value === '' ? undefined : entry(name, at + 1, value);
        index.change(before, after);
        if (after) held.set(name, after);
        else held.delete(name);
        for (const wanted of ['x', 'y']) {
          const all = [...held.values()].filter(({ attributes }) => attributes.labels.app === wanted).sort(compareKeys);
          expect(namesOf(index, wanted)).toEqual(all.map((each) => `${each.name}@${each.version}`));
        }
      }
      for (const each of held.values()) index.change(each, undefined);
      expect(index.bytes).toBe(0);
    }),
    { seed: 12, numRuns: 300 },
  );
});

it('takes little for values that one entry has each', () => {
  const index = new EqualityIndex('label:app');
  for (let number = 0; number < 1_000; number++) index.change(undefined, entry(`o${number}`, 1, `v${number}`));
  expect(index.bytes).toBe(50_000);
  for (let number = 0; number < 1_000; number++) index.change(undefined, entry(`p${number}`, 1, `v${number}`));
  expect(index.bytes).toBe(480_000);
});
