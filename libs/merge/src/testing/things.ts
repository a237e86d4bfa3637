import { type JsonObject, type JsonValue, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import fc from 'fast-check';
import { bothTypes, customType, FieldManager, type VersionTypes } from '../apply/index.js';

/** A list whose items are told apart by two keys, one of which has a default. */
const PARTS: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['port', 'protocol'],
  items: {
    type: 'object',
    properties: {
      port: { type: 'integer' },
      protocol: { type: 'string', default: 'TCP' },
      note: { type: 'string' },
      tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    },
  },
};

/** A schema with a field of each way to be owned. */
const SPEC: JsonObject = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    color: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
    plain: { type: 'array', items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    parts: PARTS,
    groups: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          parts: PARTS,
          labels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
    nested: {
      type: 'object',
      properties: { deep: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const objectMeta = loadScheme(namesOf('kubernetes')).struct('meta/v1.ObjectMeta');

/** How things are owned. */
export const thingTypes: VersionTypes = bothTypes(
  customType({ type: 'object', properties: { spec: SPEC } }, objectMeta),
);

/** A manager of things that have one version. */
export const thingManager = (subresource?: string): FieldManager =>
  new FieldManager(
    {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      typesOf: (apiVersion) => (apiVersion === 'example.com/v1' ? thingTypes : undefined),
      ...(subresource !== undefined && { subresource }),
    },
    (object, apiVersion) => ({ ...object, apiVersion }),
  );

/** A thing with a spec. */
export const thing = (spec: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'x', namespace: 'd', uid: '1' },
  spec,
});

const word = fc.constantFrom('a', 'b', 'c', 'ä', '𝄞', '<', '"\\', '~1', '10', '9');
const words = fc.uniqueArray(word, { maxLength: 4 });
const small = fc.integer({ min: 0, max: 3 });
const dictionary = fc.dictionary(word, word, { maxKeys: 3, noNullPrototype: true });
const part = fc.record(
  {
    port: fc.constantFrom(80, 443, 8080, 9007199254740991),
    protocol: fc.constantFrom('TCP', 'UDP'),
    note: word,
    tags: words,
  },
  { requiredKeys: ['port'], noNullPrototype: true },
);

/** Specs of things, most of their fields left out. */
export const specs: fc.Arbitrary<JsonObject> = fc.record(
  {
    size: small,
    color: word,
    labels: dictionary,
    whole: dictionary,
    plain: fc.array(word, { maxLength: 3 }),
    set: words,
    parts: fc.uniqueArray(part, {
      maxLength: 4,
      selector: ({ port, protocol }) => `${String(port)}/${protocol ?? 'TCP'}`,
    }),
    nested: fc.record(
      { deep: fc.record({ x: small, y: small }, { requiredKeys: [], noNullPrototype: true }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
    free: fc.dictionary(word, fc.oneof(small, words, dictionary, fc.constant(null)), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<JsonObject>;

/** Whether an empty list or object stands somewhere in a value. */
function hasEmpty(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.values(value);
  return members.length === 0 || members.some(hasEmpty);
}

/** Specs that say something, without empty lists and objects: of those the reference has laws of their own. */
export const fullSpecs = specs.filter((spec) => !hasEmpty(spec));

/** A write of one of three managers. */
export interface Write {
  readonly op: 'update' | 'apply';
  readonly manager: string;
  readonly spec: JsonObject;
}

const writesOf = (spec: fc.Arbitrary<JsonObject>): fc.Arbitrary<Write[]> =>
  fc.array(
    fc.record({
      op: fc.constantFrom('update' as const, 'apply' as const),
      manager: fc.constantFrom('one', 'two', 'three'),
      spec,
    }),
    { minLength: 1, maxLength: 6 },
  );

/** Writes in turn. */
export const writes = writesOf(specs);

/** Writes in turn, of {@link fullSpecs}. */
export const fullWrites = writesOf(fullSpecs);

/** The thing that writes leave behind; applies are forced. */
export function written(all: readonly Write[]): JsonObject {
  const manager = thingManager();
  return all.reduce<JsonObject | undefined>((live, { op, manager: name, spec }, i) => {
    const options = { manager: name, now: new Date(Date.UTC(2026, 0, 1, 0, 0, i)), force: true };
    return op === 'apply' ? manager.apply(live, thing(spec), options) : manager.update(live, thing(spec), options);
  }, undefined) as JsonObject;
}
