import { type JsonObject, type JsonValue, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { specs, thing, thingTypes } from '../../testing/things.js';
import { fieldsV1Text } from '../paths/fields-v1.js';
import type { Steps } from '../steps.js';
import { declaredType } from '../types/declared-types.js';
import { compareObjects } from './compare.js';
import { fieldSetOf, namedSetOf } from './field-set-of.js';
import { misfitsOf } from './fit.js';
import { compareInSteps, misfitsInSteps, namedInSteps, ownedInSteps, removeInSteps } from './in-steps.js';
import { mergeInSteps, mergeObjects } from './merge.js';
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
/** A list of very many items, of which two have some alike, in one order or another; one may stand there twice. */
const listOf = (item: (i: number, value: string) => JsonValue) =>
  fc
    .record({
      ...{ from: fc.nat({ max: 300 }), count: fc.nat({ max: 900 }), step: fc.constantFrom(1, 1, 7) },
      ...{ value: fc.constantFrom('a', 'b'), twice: fc.integer({ min: 0, max: 9 }) },
    })
    .map(({ from, count, step, value, twice }) => {
      const items = Array.from({ length: count }, (_, i) => item((from + i * step) % 907, value));
      return twice === 0 && items[3] !== undefined ? [...items, items[3]] : items;
    });
const tags = listOf((i) => `t${i}`);
const lists = {
  set: tags,
  parts: listOf((i, note) => ({ port: i, note })),
};
const deepParts = fc
  .array(fc.record({ port: fc.constantFrom(1, 2, 3), tags, note: fc.constantFrom('a', 'b') }), { maxLength: 3 })
  .map((parts) => parts as JsonValue);
const more = fc.record(
  { labels: level, whole: level, free, set: lists.set, parts: fc.oneof(lists.parts, deepParts) },
  { requiredKeys: [], noNullPrototype: true },
);
const things = fc.tuple(specs, more).map(([spec, large]) => thing({ ...spec, ...large } as JsonObject));

const runs = { seed: 20261123, numRuns: 25 };

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
      for (const each of [thingTypes.stored, type]) {
        const [inSteps, whole] = [done(compareInSteps(each, a, b)), compareObjects(each, a, b)];
        expect([inSteps.set, inSteps.removed].map(fieldsV1Text)).toEqual([whole.set, whole.removed].map(fieldsV1Text));
      }
      const whole = compareObjects(type, a, b);
      expect(done(misfitsInSteps(type, a))).toEqual(misfitsOf(type, a));
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

test('what is empty in a piece is not taken for empty: an object of other members, or a list of other items, is still there', () => {
  const schema = loadScheme(namesOf('kubernetes')).kind('', 'v1', 'Pod')?.schema ?? expect.unreachable();
  const stored = declaredType(schema, { zeros: true });
  const pod = (letter: string, { labels = 0, containers = 0 }): JsonObject => ({
    metadata: { labels: Object.fromEntries(Array.from({ length: labels }, (_, i) => [`${letter}${i}`, 'x'])) },
    spec: { containers: Array.from({ length: containers }, (_, i) => ({ name: `${letter}${i}`, image: 'x' })) },
  });
  for (const size of [{ labels: 2_000 }, { containers: 1_000 }, { labels: 2_000, containers: 1_000 }]) {
    const pairs = [pod('a', size), pod('b', size), pod('b', {})];
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [2, 0],
    ].map((places) => places.map((i) => pairs[i] as JsonObject))) {
      if (!a || !b) continue;
      const [inSteps, whole] = [done(compareInSteps(stored, a, b)), compareObjects(stored, a, b)];
      expect([inSteps.set, inSteps.removed].map(fieldsV1Text)).toEqual([whole.set, whole.removed].map(fieldsV1Text));
    }
  }
});

test('long lists are divided, within items too', () => {
  const tags = Array.from({ length: 5_000 }, (_, i) => `t${i}`);
  const parts = Array.from({ length: 2_000 }, (_, port) => ({ port, note: 'a' }));
  const large = thing({ set: tags, parts: [...parts, { port: 9_999, tags }] });
  for (const depth of ['into items', 'to items'] as const) {
    const pieces = [...piecesOf(type, [large], depth)].filter((piece) => piece !== undefined);
    const weights = pieces.map(([piece]) => valuesOf(piece));
    expect(weights.filter((weight) => weight > 1_000)).toHaveLength(depth === 'into items' ? 0 : 1);
    expect(pieces.length).toBeGreaterThan(100);
  }
  const steps = mergeInSteps(
    type,
    large,
    thing({ set: [...tags].reverse(), parts: parts.map((one) => ({ ...one, note: 'b' })) }),
  );
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(90);
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
  const pieces = [...piecesOf(type, [large, undefined])].filter((piece) => piece !== undefined);
  for (const [piece, absent] of pieces) {
    expect(absent).toBeUndefined();
    expect(valuesOf(piece)).toBeLessThan(700);
  }
  expect(fieldsV1Text(done(ownedInSteps(type, large)))).toBe(fieldsV1Text(fieldSetOf(type, large)));
  const small = thing({ labels: { a: 'b' } });
  expect([...piecesOf(type, [small])]).toEqual([[small]]);
});
