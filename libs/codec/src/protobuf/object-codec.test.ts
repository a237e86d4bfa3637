import { type ApiObject, namesOf } from '@orch/machinery';
import { fullObject, loadScheme, type Schema, type StructSchema } from '@orch/schema';
import { describe, expect, test } from 'vitest';
import { readObject } from '../read/read-object.js';
import { encodeWatchEvent, ObjectCodec, ProtobufError } from './index.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);
const codec = new ObjectCodec(scheme, names.protobufMediaType);
/** Levels of structs that random objects have. */
const DEPTH = 5;
const ROUNDS = 20;

/** Draws numbers in [0, 1), the same ones for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const LEAVES: Readonly<Record<string, (random: () => number) => unknown>> = {
  string: (random) => `é${Math.floor(random() * 1000)}`,
  bytes: (random) => Buffer.from(String(random())).toString('base64'),
  bool: (random) => random() < 0.5,
  int32: (random) => Math.floor((random() - 0.5) * 2 ** 32),
  int64: (random) => Math.floor((random() - 0.5) * 2 ** 53),
  uint32: (random) => Math.floor(random() * 2 ** 32),
  uint64: (random) => Math.floor(random() * 2 ** 53),
  float: (random) => Math.fround(random()),
  double: (random) => random(),
  time: (random) => new Date(Math.floor(random() * 2e9) * 1000).toISOString().replace('.000', ''),
  microTime: (random) => `2023-04-05T06:07:08.${String(Math.floor(random() * 1e6)).padStart(6, '0')}Z`,
  duration: (random) => `${1 + Math.floor(random() * 50)}m0s`,
  quantity: (random) => `${1 + Math.floor(random() * 900)}${random() < 0.5 ? 'Mi' : 'm'}`,
  intOrString: (random) => (random() < 0.5 ? 8080 : 'http'),
  rawExtension: (random) => ({ apiVersion: 'example.org/v1', kind: 'Any', value: [random(), null, 'x'] }),
  fieldsV1: () => ({ 'f:spec': { 'f:a': {} } }),
  json: (random) => ({ default: random() }),
};

function randomValue(schema: Schema, random: () => number, depth: number): unknown {
  if (schema.kind === 'struct') return schema.customJson ? undefined : randomStruct(schema, random, depth);
  const many = (make: () => unknown) =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, make).filter((value) => value !== undefined);
  if (schema.kind === 'list') return many(() => randomValue(schema.items, random, depth));
  if (schema.kind === 'map')
    return { [`k${Math.floor(random() * 9)}`]: randomValue(schema.values, random, depth) ?? {} };
  return LEAVES[schema.kind]?.(random);
}

function randomStruct(schema: StructSchema, random: () => number, depth: number): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  if (depth === 0) return made;
  for (const field of schema.fields.values()) {
    if (field.name === 'apiVersion' || field.name === 'kind') continue;
    if (random() < 0.3) continue;
    const value = randomValue(field.schema, random, depth - 1);
    if (value !== undefined) made[field.name] = value;
  }
  return made;
}

const kinds = scheme.kinds.map(({ group, version, kind, schema }) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
  schema,
}));

/** Groups and kinds that are never sent in the binary form. */
const hasForm = ({ apiVersion, kind }: { apiVersion: string; kind: string }) =>
  kind !== 'Table' && !apiVersion.startsWith('audit.');

describe('an object of every kind', () => {
  test('is one of many, and a Table has no binary form', () => {
    expect(kinds.length).toBeGreaterThan(150);
    expect(codec.encode({ apiVersion: 'meta.k8s.io/v1', kind: 'Table' })).toBeUndefined();
  });

  test.each(kinds.filter(hasForm))('$apiVersion $kind', ({ apiVersion, kind, schema }) => {
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const object = { kind, apiVersion, ...randomStruct(schema, randomOf(seed), DEPTH) } as ApiObject;
      const json = JSON.parse(JSON.stringify(fullObject(schema, readObject(schema, object as never).object)));
      // Servers write the items of lists in JSON, also where there are none.
      if (kind.endsWith('List') && schema.fields.has('items')) json.items ??= [];
      const bytes = codec.encode(object);
      if (!bytes) throw new Error(`seed ${seed} cannot be encoded`);
      expect(codec.decode(bytes)).toEqual(json);
    }
  });
});

test('what is always written is there, as in JSON', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'c' }] } };
  expect(codec.decode(codec.encode(pod) ?? Buffer.alloc(0))).toEqual({
    ...pod,
    metadata: { creationTimestamp: null },
    spec: { containers: [{ name: 'c', resources: {} }] },
    status: {},
  });
});

test('integers beyond 2^53 keep their digits', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { generation: 2n ** 60n + 1n } };
  const bytes = codec.encode(pod as unknown as ApiObject) ?? Buffer.alloc(0);
  expect(codec.decode(bytes).metadata?.generation).toBe(2n ** 60n + 1n);
});

test('what has no binary form is not encoded', () => {
  expect(codec.encode({ apiVersion: 'example.org/v1', kind: 'Widget' })).toBeUndefined();
  expect(codec.encode({ metadata: {} })).toBeUndefined();
  expect(codec.encode({ apiVersion: 'v1', kind: 'Pod', spec: 'none' } as ApiObject)).toBeUndefined();
});

test('events of a watch, and what is none', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', creationTimestamp: null } };
  const document = codec.encode(pod as unknown as ApiObject) ?? Buffer.alloc(0);
  const frame = encodeWatchEvent('MODIFIED', document).subarray(4);
  expect(codec.decodeEvent(frame)).toMatchObject({ type: 'MODIFIED', object: pod });
  expect(() => codec.decodeEvent(frame.subarray(0, 10))).toThrow(ProtobufError);
  expect(() => codec.decodeEvent(Buffer.from('{"type":"ADDED"}'))).toThrow();
  expect(() => codec.decode(Buffer.from('{"kind":"Pod"}'))).toThrow(ProtobufError);
});

test('a list of nothing has items', () => {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' } };
  const bytes = codec.encode(list as ApiObject);
  expect(bytes && codec.decode(bytes)).toEqual({ ...list, items: [] });
});
