import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { specs, thing, thingTypes } from '../../testing/things.js';
import { fieldsV1Text } from '../paths/fields-v1.js';
import type { Steps } from '../steps.js';
import { compareObjects } from './compare.js';
import { fieldSetOf, namedSetOf } from './field-set-of.js';
import { compareInSteps, mergeInSteps, namedInSteps, ownedInSteps, removeInSteps } from './in-steps.js';
import { mergeObjects } from './merge.js';
import { piecesOf } from './pieces.js';
import { removeFields } from './remove.js';

const { said: type } = thingTypes;

function done<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Very many keys, of which two objects have some alike. */
const wide = fc
  .record({ from: fc.nat({ max: 1_000 }), count: fc.nat({ max: 2_000 }), value: fc.constantFrom('a', 'b', 'c') })
  .map(({ from, count, value }) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${(from + i) % 1_500}`, value])),
  );
const few = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('a', 'b'), { noNullPrototype: true });
const level = fc.oneof({ weight: 3, arbitrary: wide }, few);
const free = fc.record(
  {
    deep: fc.record({ one: level, two: level }, { requiredKeys: [], noNullPrototype: true }),
    beside: level,
    other: fc.oneof(level, fc.constantFrom<JsonValue>(['a'], 'a', null)),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const more = fc.record({ labels: level, whole: level, free }, { requiredKeys: [], noNullPrototype: true });
const things = fc.tuple(specs, more).map(([spec, large]) => thing({ ...spec, ...large } as JsonObject));

const runs = { seed: 20261123, numRuns: 40 };

/** A text that is the same for equal objects, and for others not. */
const textOf = (value: JsonValue | undefined): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

test('of an object in pieces a walk makes what it makes of the whole (property)', () => {
  fc.assert(
    fc.property(things, things, (a, b) => {
      const [inSteps, whole] = [done(compareInSteps(type, a, b)), compareObjects(type, a, b)];
      expect([inSteps.set, inSteps.removed].map(fieldsV1Text)).toEqual([whole.set, whole.removed].map(fieldsV1Text));
      expect(fieldsV1Text(done(ownedInSteps(type, a)))).toBe(fieldsV1Text(fieldSetOf(type, a)));
      expect(fieldsV1Text(done(namedInSteps(type, a)))).toBe(fieldsV1Text(namedSetOf(type, a)));
      expect(JSON.stringify(done(mergeInSteps(type, a, b)))).toBe(JSON.stringify(mergeObjects(type, a, b)));
      for (const gone of [fieldSetOf(type, b), whole.removed, whole.set]) {
        expect(textOf(done(removeInSteps(type, a, gone)))).toBe(textOf(removeFields(type, a, gone)));
      }
    }),
    runs,
  );
});

test('nothing that walks are given is changed (property)', () => {
  fc.assert(
    fc.property(things, things, (a, b) => {
      const before = JSON.stringify([a, b]);
      done(mergeInSteps(type, a, b));
      done(removeInSteps(type, a, fieldSetOf(type, b)));
      expect(JSON.stringify([a, b])).toBe(before);
    }),
    runs,
  );
});

test('members stand in the order in which they stood', () => {
  const [live, said] = ['l', 's'].map((letter) =>
    thing({ labels: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`${letter}${i}`, '1'])) }),
  ) as [JsonObject, JsonObject];
  const labels = (object: JsonObject) => Object.keys((object.spec as { labels: JsonObject }).labels);
  expect(labels(done(mergeInSteps(type, live, said)))).toEqual([...labels(live), ...labels(said)]);
});

const valuesOf = (value: JsonValue | undefined): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, member) => sum + valuesOf(member), 1);

test('pieces hold few values each, however they are nested, and all of them together', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, '1']));
  const structs = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`s${i}`, { a: '1', b: { c: '2' } }]));
  const large = thing({ labels: many, free: { wide: many, structs, deep: { deeper: { wide: many } }, small: {} } });
  const pieces = [...piecesOf(type, [large, undefined])];
  for (const [piece, absent] of pieces) {
    expect(absent).toBeUndefined();
    expect(valuesOf(piece)).toBeLessThan(700);
  }
  expect(fieldsV1Text(done(ownedInSteps(type, large)))).toBe(fieldsV1Text(fieldSetOf(type, large)));
  const small = thing({ labels: { a: 'b' } });
  expect([...piecesOf(type, [small])]).toEqual([[small]]);
});
