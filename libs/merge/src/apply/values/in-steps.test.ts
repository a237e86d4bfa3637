import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { typesOf } from '../../testing/managed-kinds.js';
import { oddPods, oddSpecs } from '../../testing/odd-things.js';
import { thing, thingTypes } from '../../testing/things.js';
import {
  coversInSteps,
  differenceInSteps,
  intersectionInSteps,
  recursiveDifferenceInSteps,
  unionInSteps,
  unionOfInSteps,
} from '../paths/algebra-in-steps.js';
import type { FieldSet } from '../paths/field-set.js';
import { union } from '../paths/field-set.js';
import { fieldsV1Text, readFieldsV1, writeFieldsV1 } from '../paths/fields-v1.js';
import {
  covers,
  difference,
  equalSets,
  intersection,
  recursiveDifference,
  setOf,
  unionOf,
} from '../paths/set-algebra.js';
import { atOnce, type Steps } from '../steps.js';
import { ATOMIC, type FieldType, type MapType, type Type } from '../types/type.js';
import { compareObjects } from './compare.js';
import { compareInSteps } from './compare-in-steps.js';
import { everythingBelow, everythingInSteps } from './everything.js';
import { fieldSetOf, namedInSteps, namedSetOf, ownedInSteps } from './field-set-of.js';
import { misfitsInSteps, misfitsOf } from './fit.js';
import { ItemError } from './list-items.js';
import { mergeInSteps, mergeObjects } from './merge.js';
import { namedFieldsInSteps, withNamedFields } from './named-fields.js';
import { reconcile, reconcileInSteps } from './reconcile.js';
import { removeFields, removeInSteps } from './remove.js';

/** So few values are a step here that the smallest objects are divided, in every place of them. */
vi.mock('../piece.js', () => ({ PIECE: 3 }));

const runs = { seed: 20261128, numRuns: 150 };
const pods = typesOf({ apiVersion: 'v1', kind: 'Pod', zeros: true }, 'v1')?.stored as Type;

/** What a walk comes to, or why it comes to nothing. */
function outcome<T>(walk: () => T, text: (made: T) => unknown): unknown {
  try {
    return text(walk());
  } catch (error) {
    if (error instanceof ItemError) return error.message;
    throw error;
  }
}

const expectSame = <T>(inSteps: Steps<T>, whole: () => T, text: (made: T) => unknown): void =>
  expect(outcome(() => atOnce(inSteps), text)).toEqual(outcome(whole, text));

/** The text of the fields that an object says; none where its items cannot be told apart. */
function saidBy(type: Type, object: JsonObject): FieldSet {
  try {
    return fieldSetOf(type, object);
  } catch (error) {
    if (error instanceof ItemError) return setOf();
    throw error;
  }
}

/** Members in the order in which they stand. */
const json = (value: JsonValue | undefined) => JSON.stringify(value) ?? 'nothing';
const everything = (set: FieldSet | undefined) => (set ? fieldsV1Text(set) : 'nothing');

/** The type with some fields of the spec owned as wholes, which were owned by parts. */
function withWholes(type: Type, names: readonly string[]): Type {
  const within = (map: MapType, change: (name: string, field: FieldType) => Type): MapType => ({
    ...map,
    plans: [],
    fields: new Map([...map.fields].map(([name, field]) => [name, { ...field, type: change(name, field) }])),
  });
  const spec = (map: MapType) => within(map, (name, field) => (names.includes(name) ? ATOMIC : field.type));
  return {
    map: within(type.map as MapType, (name, { type: of }) => (name === 'spec' ? { map: spec(of.map as MapType) } : of)),
  };
}

test('parts of what has become a whole are the whole, in steps too (property)', () => {
  const changed = withWholes(thingTypes.configuration, ['parts', 'labels', 'nested']);
  fc.assert(
    fc.property(oddSpecs, (spec) => {
      const set = saidBy(thingTypes.configuration, thing(spec));
      expectSame(
        reconcileInSteps(changed, set),
        () => reconcile(changed, set),
        (made) => [fieldsV1Text(made), made.size],
      );
    }),
    runs,
  );
});

function expectSameWalks(type: Type, a: JsonObject, b: JsonObject): void {
  const texts = ({ set, removed }: { set: FieldSet; removed: FieldSet }) => [set, removed].map(fieldsV1Text);
  expectSame(compareInSteps(type, a, b), () => compareObjects(type, a, b), texts);
  expectSame(everythingInSteps(type, a), () => everythingBelow(type, a), everything);
  expectSame(ownedInSteps(type, a), () => fieldSetOf(type, a), fieldsV1Text);
  expectSame(namedInSteps(type, a), () => namedSetOf(type, a), fieldsV1Text);
  expectSame(mergeInSteps(type, a, b), () => mergeObjects(type, a, b), json);
  expectSame(misfitsInSteps(type, a), () => misfitsOf(type, a), json as (made: unknown) => string);
  const { set, removed } = compareObjects(type, a, b);
  for (const gone of [set, removed, saidBy(type, b)]) {
    expectSame(removeInSteps(type, a, gone), () => removeFields(type, a, gone), json);
    expectSame(reconcileInSteps(type, gone), () => reconcile(type, gone), fieldsV1Text);
    expectSame(namedFieldsInSteps(type, gone), () => withNamedFields(type, gone), fieldsV1Text);
  }
}

describe('of an object of any size a walk in steps makes what it makes at once (property)', () => {
  test.each([
    ['custom objects', thingTypes.configuration, oddSpecs.map(thing)],
    ['a built-in kind', pods, oddPods],
  ] as const)('%s', (_, type, objects) => {
    fc.assert(
      fc.property(objects, objects, (a, b) => {
        const before = json([a, b]);
        expectSameWalks(type, a, b);
        expectSameWalks(type, a, { ...a, ...b });
        expect(json([a, b])).toBe(before);
      }),
      runs,
    );
  });

  test('the same object, and one that holds another in other order', () => {
    fc.assert(
      fc.property(oddSpecs, (spec) => {
        const parts = Array.isArray(spec.parts) ? { parts: [...spec.parts].reverse() } : {};
        expectSameWalks(thingTypes.configuration, thing(spec), thing(JSON.parse(json(spec)) as JsonObject));
        expectSameWalks(thingTypes.configuration, thing(spec), thing({ ...spec, ...parts }));
      }),
      runs,
    );
  });
});

const sets = fc
  .tuple(oddSpecs, oddSpecs)
  .map(([a, b]) => compareObjects(thingTypes.configuration, thing(a), thing(b)).set);

/** The same set as it comes out of storage: nothing of it has been read. */
const stored = (set: FieldSet): FieldSet => readFieldsV1(JSON.parse(fieldsV1Text(set)) as JsonObject);

test('operations on sets of any size come to what they come to at once (property)', () => {
  fc.assert(
    fc.property(sets, sets, sets, (a, b, c) => {
      for (const [x, y] of [
        [a, b],
        [a, stored(a)],
        [union(a, b), a],
        [a, intersection(a, b)],
      ] as const) {
        expectSame(unionInSteps(x, y), () => union(x, y), fieldsV1Text);
        expectSame(intersectionInSteps(x, y), () => intersection(x, y), fieldsV1Text);
        expectSame(differenceInSteps(x, y), () => difference(x, y), fieldsV1Text);
        expectSame(recursiveDifferenceInSteps(x, y), () => recursiveDifference(x, y), fieldsV1Text);
        expect(atOnce(coversInSteps(x, y))).toBe(covers(x, y));
      }
      expectSame(unionOfInSteps([a, b, c]), () => unionOf([a, b, c]), fieldsV1Text);
      expect(atOnce(differenceInSteps(a, setOf()))).toBe(a);
    }),
    runs,
  );
});

test('a set is read and written in steps as it is at once, also in another order (property)', () => {
  fc.assert(
    fc.property(sets, (set) => {
      const trie = JSON.parse(fieldsV1Text(set)) as JsonObject;
      const backwards = (level: JsonObject): JsonObject =>
        Object.fromEntries(
          Object.entries(level)
            .reverse()
            .map(([name, below]) => [name, backwards(below as JsonObject)]),
        );
      for (const one of [stored(set), readFieldsV1(backwards(trie))]) {
        atOnce(one.read());
        expect(equalSets(one, set)).toBe(true);
        atOnce(one.write(false));
        expect(fieldsV1Text(one)).toBe(fieldsV1Text(set));
        expect(json(writeFieldsV1(one))).toBe(json(writeFieldsV1(set)));
      }
    }),
    runs,
  );
});
