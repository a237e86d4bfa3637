import { type JsonObject, type JsonValue, StatusError } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import { thing, thingManager } from '../testing/things.js';
import { managedFieldsOf, withManagedFields } from './managed/metadata.js';

/** As deep as what clients may send, and as deep as its owners are then. */
const DEEPEST = 1_000;
const now = new Date('2026-01-02T03:04:05Z');
const things = thingManager();

/** Values within each other, with a leaf innermost; so deep that the whole object has {@link DEEPEST} levels. */
const nested = (leaf: JsonValue, around: (inner: JsonValue, level: number) => JsonValue): JsonValue =>
  Array.from({ length: DEEPEST - 2 }).reduce<JsonValue>((inner, _, i) => around(inner, i), leaf);

const SHAPES: Record<string, (leaf: JsonValue) => JsonValue> = {
  maps: (leaf) => nested(leaf, (a) => ({ a })),
  'maps with other members': (leaf) => nested(leaf, (a) => ({ a, b: 1, c: 'c' })),
  'maps around very many members': (leaf) =>
    nested({ ...Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`k${i}`, 1])), leaf }, (a) => ({ a })),
  lists: (leaf) => ({ a: nested(leaf, (inner, level) => (level < DEEPEST - 3 ? [inner] : inner)) }),
  'maps and lists': (leaf) => nested(leaf, (inner, level) => (level % 2 === 0 ? [1, inner] : { a: inner })),
};

const depthOf = (value: JsonValue | undefined): number => {
  let [depth, level] = [0, [value]];
  for (; level.length > 0; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return depth - 1;
};

/** Text, as comparing what is so deep has its own bounds. */
const specOf = (object: JsonObject): string => JSON.stringify(object.spec);
const managers = (object: JsonObject): string[] =>
  ((managedFieldsOf(object) ?? []) as JsonObject[]).map(({ manager, operation }) => `${manager} ${operation}`);
const resent = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object)) as JsonObject;

describe.each(Object.entries(SHAPES))('an object of as many levels as there may be: %s', (_, shape) => {
  const of = (leaf: JsonValue) => thing({ free: shape(leaf) as JsonObject });
  const created = things.update(undefined, of(1), { manager: 'one', now });

  test.each(['at once', 'in steps'])('is changed by updates %s', async (how) => {
    const update = async (live: JsonObject | undefined, next: JsonObject, manager: string) =>
      how === 'at once'
        ? things.update(live, next, { manager, now })
        : things.updateAsync(live, next, { manager, now }, () => undefined);
    const made = await update(undefined, of(1), 'one');
    const changed = await update(made, { ...of(2), metadata: made.metadata as JsonObject }, 'two');
    expect(specOf(changed)).toBe(specOf(of(2)));
    const again = await update(changed, { ...resent(changed), spec: of(3).spec as JsonObject }, 'three');
    expect(specOf(again)).toBe(specOf(of(3)));
    expect(managers(again)).toContain('three Update');
    const emptied = await update(again, withManagedFields(thing({}), managedFieldsOf(again) as JsonObject[]), 'two');
    expect(depthOf(managedFieldsOf(emptied))).toBeLessThan(20);
  });

  test('is changed by applies, and taken from others', async () => {
    const applied = await things.applyAsync(created, of(2), { manager: 'app', now, force: true });
    expect(specOf(applied)).toBe(specOf(of(2)));
    const conflict = things.applyAsync(applied, of(3), { manager: 'other', now });
    await expect(conflict).rejects.toThrow(StatusError);
    const taken = things.apply(applied, of(3), { manager: 'other', now, force: true });
    const given = await things.applyAsync(taken, thing({}), { manager: 'other', now });
    const entries = managedFieldsOf(given) as JsonObject[];
    expect(depthOf(entries.find(({ manager }) => manager === 'other'))).toBeLessThan(10);
  });

  test('keeps who owns it where entries are sent again, and where one is left out', async () => {
    const applied = await things.applyAsync(created, of(2), { manager: 'app', now, force: true });
    const entries = managedFieldsOf(resent(applied)) as JsonObject[];
    const fewer = withManagedFields(resent(applied), entries.slice(0, 1));
    expect(managers(things.update(applied, fewer, { manager: 'one', now }))).toEqual(['app Apply']);
    expect(managers(things.update(applied, resent(applied), { manager: 'one', now }))).toEqual(managers(applied));
  });
});
