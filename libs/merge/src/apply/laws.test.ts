import { type JsonObject, type JsonValue, StatusError } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson } from '../json-values.js';
import {
  fullSpecs,
  fullWrites,
  specs,
  thing,
  thingManager,
  thingTypes,
  type Write,
  writes,
  written,
} from '../testing/things.js';
import { withoutIdleTimes } from './index.js';
import { managedFieldsOf, withManagedFields } from './managed/metadata.js';
import { type FieldSet, NO_FIELDS, type Path, pathText, union } from './paths/field-set.js';
import { fieldsV1Text, readFieldsV1, writeFieldsV1 } from './paths/fields-v1.js';
import { fieldElement } from './paths/path-element.js';
import { difference, equalSets, intersection, recursiveDifference } from './paths/set-algebra.js';
import { FieldsV1Error } from './paths/written-level.js';
import { fieldSetOf } from './values/field-set-of.js';

const manager = thingManager();
const at = (second: number) => new Date(Date.UTC(2026, 1, 1, 0, 0, second));
const entriesOf = (object: JsonObject) => (managedFieldsOf(object) ?? []) as JsonObject[];
const bare = (object: JsonObject) => withManagedFields(object, undefined);
const sortedText = (set: FieldSet) => [...set.paths()].map(pathText).sort();

/** What each manager owns, by name and operation. */
const ownersOf = (object: JsonObject): Map<string, FieldSet> =>
  new Map(
    entriesOf(object).map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, readFieldsV1(fieldsV1)]),
  );

const apply = (live: JsonObject | undefined, spec: JsonObject, by: string, second = 30) =>
  manager.apply(live, thing(spec), { manager: by, now: at(second), force: true });

describe('laws of apply', () => {
  it('applying twice is applying once, and writes nothing (property)', () => {
    fc.assert(
      fc.property(fullWrites, fullSpecs, (before, spec) => {
        const once = apply(written(before), spec, 'one');
        const twice = withoutIdleTimes(once, apply(once, spec, 'one', 31));
        expect(equalJson(twice, once)).toBe(true);
      }),
      { seed: 20260801, numRuns: 500 },
    );
  });

  it('with force the object has what was applied, whoever had it before (property)', () => {
    fc.assert(
      fc.property(writes, specs, (before, spec) => {
        const applied = apply(written(before), spec, 'one');
        const mine = ownersOf(applied).get('one Apply') ?? NO_FIELDS;
        const said = fieldSetOf(thingTypes.configuration, thing(spec));
        for (const path of mine.paths()) expect(said.has(path)).toBe(true);
        const { size, color, whole, plain } = spec;
        const now = applied.spec as JsonObject | null;
        for (const [name, value] of Object.entries({ size, color, whole, plain })) {
          if (value !== undefined) expect(equalJson(now?.[name], value)).toBe(true);
        }
      }),
      { seed: 20260802, numRuns: 500 },
    );
  });

  it('giving up fields takes nothing from others, but what they had set in items or keys that nobody else owns (property)', () => {
    fc.assert(
      fc.property(fullWrites, fullSpecs, (before, spec) => {
        const live = apply(written(before), spec, 'one');
        const after = apply(live, {}, 'one', 40);
        const others = [...ownersOf(live)].filter(([owner]) => owner !== 'one Apply');
        const owned = others.reduce((all, [, fields]) => union(all, fields), NO_FIELDS);
        // Items, and keys that are data, go with what is in them.
        const isEntry = (path: Path, i: number) => path[i]?.kind === 'k' || (i > 1 && path[1]?.name === 'free');
        const stays = (path: Path) => path.every((_, i) => !isEntry(path, i) || owned.has(path.slice(0, i + 1)));
        const kept = fieldSetOf(thingTypes.configuration, bare(after));
        const there = fieldSetOf(thingTypes.configuration, bare(live));
        for (const [owner, fields] of others) {
          const left = ownersOf(after).get(owner) ?? NO_FIELDS;
          for (const path of [...fields.paths()].filter(stays)) {
            expect(left.has(path)).toBe(true);
            if (there.has(path)) expect(kept.has(path)).toBe(true);
          }
        }
      }),
      { seed: 20260803, numRuns: 500 },
    );
  });

  it('an item that its applier gives up goes with what others set in it, unless they own the item too', () => {
    const applied = apply(undefined, { parts: [{ port: 80 }] }, 'one');
    const set = manager.update(applied, thing({ parts: [{ port: 80, note: 'a' }] }), { manager: 'two', now: at(31) });
    expect(apply(set, {}, 'one', 32).spec).toEqual({ parts: null });
    const shared = apply(set, { parts: [{ port: 80 }] }, 'three', 32);
    expect(apply(shared, {}, 'one', 33).spec).toEqual({ parts: [{ port: 80, note: 'a' }] });
  });

  it('appliers of different fields give one object in any order (property)', () => {
    const names = ['size', 'color', 'labels', 'whole', 'plain', 'set', 'parts', 'nested', 'free'];
    fc.assert(
      fc.property(fullSpecs, fc.array(fc.nat(2), { minLength: 9, maxLength: 9 }), (spec, shares) => {
        const parts = ['one', 'two', 'three'].map((by, i) => ({
          by,
          spec: Object.fromEntries(
            Object.entries(spec).filter(([name]) => shares[names.indexOf(name)] === i),
          ) as JsonObject,
        }));
        const run = (order: readonly { by: string; spec: JsonObject }[]) =>
          order.reduce<JsonObject | undefined>((live, { by, spec }) => apply(live, spec, by), undefined) as JsonObject;
        const [first, ...others] = permutations(parts).map(run) as [JsonObject, ...JsonObject[]];
        for (const other of others) {
          expect(bare(other)).toEqual(bare(first));
          expect([...ownersOf(other)].map(([by, set]) => [by, sortedText(set)]).sort()).toEqual(
            [...ownersOf(first)].map(([by, set]) => [by, sortedText(set)]).sort(),
          );
        }
      }),
      { seed: 20260804, numRuns: 200 },
    );
  });

  it('without force it changes nothing that others own, or is refused with a cause for each such field (property)', () => {
    fc.assert(
      fc.property(writes, specs, (before, spec) => {
        const live = written(before);
        const others = [...ownersOf(live)].filter(([owner]) => owner !== 'one Apply');
        try {
          const after = manager.apply(live, thing(spec), { manager: 'one', now: at(30) });
          const has = ownersOf(after);
          for (const [owner, fields] of others)
            expect(sortedText(has.get(owner) ?? NO_FIELDS)).toEqual(sortedText(fields));
        } catch (error) {
          const { status } = StatusError.from(error);
          expect([status.code, status.reason]).toEqual([409, 'Conflict']);
          const owned = new Set(others.flatMap(([, fields]) => sortedText(fields)));
          expect(status.details?.causes?.length).toBeGreaterThan(0);
          for (const { field, reason } of status.details?.causes ?? []) {
            expect(reason).toBe('FieldManagerConflict');
            expect(owned.has(field ?? '')).toBe(true);
          }
        }
      }),
      { seed: 20260805, numRuns: 500 },
    );
  });

  it('changes neither what it is given nor what it has given (property)', () => {
    fc.assert(
      fc.property(writes, specs, (before: Write[], spec) => {
        const live = written(before);
        const [liveText, specText] = [JSON.stringify(live), JSON.stringify(spec)];
        apply(live, spec, 'one');
        manager.update(live, thing(spec), { manager: 'two', now: at(31) });
        expect([JSON.stringify(live), JSON.stringify(spec)]).toEqual([liveText, specText]);
      }),
      { seed: 20260806, numRuns: 300 },
    );
  });
});

describe('laws of updates', () => {
  it('what changed belongs to who changed it, and to nobody else (property)', () => {
    fc.assert(
      fc.property(writes, specs, (before, spec) => {
        const live = written(before);
        const after = manager.update(live, thing(spec), { manager: 'four', now: at(30) });
        const mine = ownersOf(after).get('four Update') ?? NO_FIELDS;
        for (const [owner, fields] of ownersOf(after)) {
          if (owner !== 'four Update') expect(intersection(fields, mine).isEmpty).toBe(true);
        }
        expect(equalJson(bare(after), thing(spec))).toBe(true);
      }),
      { seed: 20260807, numRuns: 500 },
    );
  });

  it('writing what is there changes no entry (property)', () => {
    fc.assert(
      fc.property(writes, (before) => {
        const live = written(before);
        expect(manager.update(live, live, { manager: 'four', now: at(30) })).toEqual(live);
        expect(manager.update(live, bare(live), { manager: 'four', now: at(30) })).toEqual(live);
      }),
      { seed: 20260808, numRuns: 300 },
    );
  });
});

describe('sets of fields', () => {
  const sets = writes.map((all) => fieldSetOf(thingTypes.configuration, written(all)));

  it('are what they were when they are written and read (property)', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const text = fieldsV1Text(set);
        expect(JSON.stringify(writeFieldsV1(set))).toBe(text);
        const read = readFieldsV1(JSON.parse(text) as JsonValue);
        expect(equalSets(read, set)).toBe(true);
        expect(fieldsV1Text(read)).toBe(text);
      }),
      { seed: 20260809, numRuns: 500 },
    );
  });

  it('follow the algebra of sets (property)', () => {
    const paths = (set: FieldSet) => new Set(sortedText(set));
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [x, y] = [paths(a), paths(b)];
        expect(paths(union(a, b))).toEqual(new Set([...x, ...y]));
        expect(paths(intersection(a, b))).toEqual(new Set([...x].filter((path) => y.has(path))));
        expect(paths(difference(a, b))).toEqual(new Set([...x].filter((path) => !y.has(path))));
        expect(equalSets(union(a, b), union(b, a))).toBe(true);
        expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
        expect(union(a, b).size).toBe(x.size + y.size - intersection(a, b).size);
        for (const path of recursiveDifference(a, b).paths()) {
          for (let length = 1; length <= path.length; length++) expect(b.has(path.slice(0, length))).toBe(false);
        }
      }),
      { seed: 20260810, numRuns: 500 },
    );
  });

  it('are in the order of the reference: fields, keys, values; texts by bytes, numbers by size', () => {
    const names = [
      'f:b',
      'v:"a"',
      'k:{"port":443}',
      'f:a',
      'k:{"port":80}',
      'v:10',
      'v:9',
      'f:\u{1d11e}',
      'f:\uff5e',
      'i:2',
      'i:10',
    ];
    const set = readFieldsV1(Object.fromEntries(names.map((name) => [name, {}])));
    expect(Object.keys(writeFieldsV1(set))).toEqual([
      'f:a',
      'f:b',
      'f:\uff5e',
      'f:\u{1d11e}',
      'k:{"port":80}',
      'k:{"port":443}',
      'v:9',
      'v:10',
      'v:"a"',
      'i:2',
      'i:10',
    ]);
  });

  it('have one text for each element, however it was written, and keep integers exact', () => {
    const set = readFieldsV1({
      'k:{ "b":"<", "a":1.0 }': {},
      'k:{"a":1,"b":"\\u003c"}': { '.': {}, 'f:x': {} },
      'v:9007199254740993': {},
      'x:unknown': {},
    });
    expect(fieldsV1Text(set)).toBe(
      '{"k:{\\"a\\":1,\\"b\\":\\"\\\\u003c\\"}":{".":{},"f:x":{}},"v:9007199254740993":{}}',
    );
  });

  it('hold no numbers that JSON cannot write', () => {
    for (const text of ['v:1e400', 'k:{"a":-1e400}', 'v:[1e999]']) {
      expect(() => readFieldsV1({ [text]: {} })).toThrow(FieldsV1Error);
    }
  });

  it('keep no elements of long names, which clients choose', () => {
    const [short, long] = ['a', 'a'.repeat(1_000)];
    expect(fieldElement(short)).toBe(fieldElement(short));
    expect(fieldElement(long)).not.toBe(fieldElement(long));
  });

  it.each<[string, JsonValue]>([
    ['values within values without end', { [`v:${'['.repeat(100_000)}${']'.repeat(100_000)}`]: {} }],
    ['a member that is no element', { bogus: 1 }],
    ['an element too short', { f: {} }],
    ['keys that are no object', { 'k:[1]': {} }],
    ['no JSON', { 'v:x': {} }],
    ['no index', { 'i:x': {} }],
    ['a scalar for a level', { 'f:a': 1 }],
    ['a list', []],
    ['a text', 'x'],
  ])('are refused: %s', (_, json) => {
    expect(() => readFieldsV1(json)).toThrow(expect.objectContaining({ name: 'FieldsV1Error' }));
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}
