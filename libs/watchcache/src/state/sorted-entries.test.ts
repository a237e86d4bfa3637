import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeRow } from '../testing/fixtures.js';
import { CacheEntry } from './cache-entry.js';
import { compareBytes } from './key-order.js';
import { SortedEntries } from './sorted-entries.js';

let versions = 0n;
function entry(namespace: string, name: string): CacheEntry {
  versions += 1n;
  return new CacheEntry(namespace, name, 'u', versions, Buffer.from('{}'), describeRow);
}

describe('compareBytes', () => {
  it('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 7, numRuns: 2000, examples: [['\u{ffff}', '\u{10000}']] },
    );
  });
});

const namespace = fc.constantFrom('', 'a', 'ab', 'b');
const key = fc.record({ namespace, name: fc.integer({ min: 0, max: 3000 }).map(String) });

describe('SortedEntries', () => {
  it('is a sorted map', () => {
    const operation = fc.record({ key, remove: fc.boolean() });
    const query = fc.record({
      namespace: fc.option(namespace, { nil: undefined }),
      after: fc.option(key, { nil: undefined }),
      limit: fc.nat(50),
    });
    fc.assert(
      fc.property(
        fc.nat(3000),
        fc.array(operation, { maxLength: 300 }),
        fc.array(query, { maxLength: 10 }),
        (size, operations, queries) => {
          const start = Array.from({ length: size }, (_, number) => entry('a', String(number)));
          start.sort((a, b) => compareBytes(a.name, b.name));
          const sorted = SortedEntries.from(start);
          const model = new Map(start.map((each) => [`${each.namespace}/${each.name}`, each]));
          for (const { key: at, remove } of operations) {
            const id = `${at.namespace}/${at.name}`;
            const before = model.get(id);
            if (remove) {
              expect(sorted.delete(at)).toBe(before);
              model.delete(id);
            } else {
              const added = entry(at.namespace, at.name);
              expect(sorted.set(added)).toBe(before);
              model.set(id, added);
            }
            expect(sorted.get(at)).toBe(model.get(id));
          }
          const all = [...model.values()].sort(
            (a, b) => compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name),
          );
          expect(sorted.size).toBe(all.length);
          expect([...sorted.iterate()]).toEqual(all);
          for (const { namespace: within, after, limit } of queries) {
            const wanted = all.filter(
              (each) =>
                (within === undefined || each.namespace === within) &&
                (after === undefined ||
                  (compareBytes(each.namespace, after.namespace) || compareBytes(each.name, after.name)) > 0),
            );
            expect([...sorted.iterate(within, after)].map(({ version }) => version)).toEqual(
              wanted.map(({ version }) => version),
            );
            const { pages, rest } = sorted.range(within, after, limit);
            expect(pages.flat().map(({ version }) => version)).toEqual(
              wanted.slice(0, limit).map(({ version }) => version),
            );
            expect(rest).toBe(Math.max(0, wanted.length - limit));
          }
        },
      ),
      { seed: 8, numRuns: 40 },
    );
  });

  it('finds nothing of a namespace behind a key of a later one, however far', () => {
    const namespaces = ['a', 'b', 'c'];
    const entries = namespaces.flatMap((within) =>
      Array.from({ length: 1000 }, (_, number) => entry(within, String(number).padStart(4, '0'))),
    );
    const sorted = SortedEntries.from(entries);
    for (const name of ['', '0001', '0500', '0999', 'x']) {
      for (const within of ['a', 'b']) {
        expect(sorted.range(within, { namespace: 'c', name }, 5000)).toEqual({ pages: [], rest: 0 });
      }
    }
  });
});
