import type { JsonObject, JsonValue } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typesOf } from '../../testing/managed-kinds.js';
import { type Paths, plainChange, plainEverything, plainOwned } from '../../testing/plain-paths.js';
import { specs, thing, thingTypes } from '../../testing/things.js';
import { FieldSet } from '../paths/field-set.js';
import type { Type } from '../types/type.js';
import { compareObjects } from './compare.js';
import { everythingBelow } from './everything.js';
import { fieldSetOf, namedSetOf } from './field-set-of.js';
import { withNamedFields } from './named-fields.js';

const services = typesOf({ apiVersion: 'v1', kind: 'Service', zeros: true }, 'v1');
const serviceTypes: { readonly stored: Type; readonly configuration: Type } = services ?? {
  stored: {},
  configuration: {},
};

/** Keys and values in one form, whichever characters are escaped. */
const stepText = (text: string): string =>
  text.startsWith('f:') ? text : text.slice(0, 2) + JSON.stringify(JSON.parse(text.slice(2)));

const pathsOf = (set: FieldSet | undefined): string[] =>
  [...(set ?? FieldSet.of([])).paths()].map((path) => path.map(({ text }) => stepText(text)).join('/')).sort();
const sorted = (paths: Paths): string[] => [...paths].sort();

const name = fc.constantFrom('a', 'b', 'constructor', '');
const port = fc.record(
  { port: fc.constantFrom(80, 443), protocol: fc.constantFrom('TCP', 'UDP', ''), name, nodePort: fc.nat({ max: 2 }) },
  { requiredKeys: ['port'], noNullPrototype: true },
);
/** Services with items that have the same keys, and such as have none. */
const services$ = fc.record(
  {
    ports: fc.array(fc.oneof({ weight: 9, arbitrary: port }, fc.constantFrom({}, null, 1)), { maxLength: 4 }),
    selector: fc.oneof(fc.dictionary(name, name, { maxKeys: 2, noNullPrototype: true }), fc.constant(null)),
    externalIPs: fc.array(name, { maxLength: 3 }),
    type: name,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

/** An object, and what it becomes when some of its parts are those of another. */
const pairOf = (objects: fc.Arbitrary<JsonObject>) =>
  fc
    .tuple(objects, objects, fc.infiniteStream(fc.boolean()))
    .map(([a, b, stream]): [JsonObject, JsonObject] => [
      a,
      crossed(a, b, () => stream.next().value as boolean) as JsonObject,
    ]);

function crossed(a: JsonValue, b: JsonValue, toss: () => boolean): JsonValue {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.map((item, i) => (i < b.length && toss() ? crossed(item, b[i] ?? null, toss) : item));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) || Array.isArray(b)) {
    return toss() ? a : b;
  }
  const names = Object.keys({ ...a, ...b });
  const member = (key: string) =>
    key in a && key in b ? crossed(a[key] ?? null, b[key] ?? null, toss) : (a[key] ?? b[key] ?? null);
  return Object.fromEntries(names.filter(toss).map((key) => [key, member(key)]));
}

const doubled = specs.map((spec): JsonObject => {
  const { parts, set } = spec;
  return {
    ...spec,
    ...(Array.isArray(parts) && { parts: [...parts, ...parts] }),
    ...(Array.isArray(set) && { set: [...set, ...set] }),
  };
});

const service = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'x' },
  spec,
});
const KINDS = [
  { of: 'things', types: thingTypes, objects: fc.oneof(specs, doubled), whole: thing },
  { of: 'services', types: serviceTypes, objects: services$, whole: service },
];

/** Objects come one after the other, so that there is something to remember. */
const options = { seed: 20261123, numRuns: 1_500 };

describe.each(KINDS)('the paths of $of', ({ types, objects, whole }) => {
  it('that a write changes are those that a plain walk finds (property)', () => {
    fc.assert(
      fc.property(pairOf(objects), ([from, to]) => {
        const [before, after] = [whole(from), whole(to)];
        const { set, removed } = compareObjects(types.stored, before, after);
        const plain = plainChange(types.stored, before, after);
        expect([pathsOf(set), pathsOf(removed)]).toEqual([sorted(plain.set), sorted(plain.removed)]);
      }),
      options,
    );
  });

  it('that come with an object are those that a plain walk finds (property)', () => {
    fc.assert(
      fc.property(objects, (spec) => {
        const object = whole(spec);
        expect(pathsOf(everythingBelow(types.stored, object))).toEqual(sorted(plainEverything(types.stored, object)));
      }),
      options,
    );
  });

  it('that an applier owns are those that a plain walk finds (property)', () => {
    fc.assert(
      fc.property(objects, (spec) => {
        const object = whole(spec);
        const plain = orRefused(() => sorted(plainOwned(types.configuration, object).below));
        expect(orRefused(() => pathsOf(fieldSetOf(types.configuration, object)))).toEqual(plain);
        if (plain === 'refused') return;
        const named = withNamedFields(types.configuration, fieldSetOf(types.configuration, object));
        expect(pathsOf(namedSetOf(types.configuration, object))).toEqual(pathsOf(named));
      }),
      options,
    );
  });
});

function orRefused<T>(draw: () => T): T | 'refused' {
  try {
    return draw();
  } catch {
    return 'refused';
  }
}
