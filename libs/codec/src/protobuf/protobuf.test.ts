import { namesOf } from '@orch/machinery';
import { loadScheme, type StructSchema } from '@orch/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TooManyValuesError } from '../too-many-values.js';
import {
  decodeObject,
  decodeProtobufObject,
  decodeUnknown,
  encodeObject,
  encodeUnknown,
  listFieldSize,
  listItemHead,
  listMetaHead,
  ProtobufError,
  unknownFrame,
} from './index.js';

const SEED = 20260102;
const scheme = loadScheme(namesOf('orch'));
const roundTrip = (schema: StructSchema, object: object) => decodeObject(schema, encodeObject(schema, object));

describe('integers', () => {
  const revision = scheme.struct('apps/v1.ControllerRevision');

  it.each([
    1,
    -1,
    127,
    128,
    2 ** 31,
    -(2 ** 31),
    2 ** 53 - 1,
    -(2 ** 53) + 1,
    2n ** 53n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    -(2n ** 53n) - 1n,
  ])('keeps %s exactly', (value) => {
    expect(roundTrip(revision, { revision: value }).revision).toBe(value);
  });

  it('keeps any 64-bit integer, as a number where that is exact', () => {
    const check = fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
      const read = roundTrip(revision, { revision: value }).revision;
      expect(BigInt(read as number | bigint)).toBe(value);
      expect(typeof read).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
    });
    fc.assert(check, { seed: SEED });
  });

  it('reads lists of numbers that come packed', () => {
    // supplementalGroups (field 4) of a pod's security context: 1, 300.
    const packed = Uint8Array.of(0x22, 3, 1, 0xac, 2);
    expect(decodeObject(scheme.struct('core/v1.PodSecurityContext'), packed).supplementalGroups).toEqual([1, 300]);
  });
});

describe('leaves', () => {
  it.each([['1970-01-01T00:00:01Z'], ['0001-01-01T00:00:01Z'], ['9999-12-31T23:59:59Z'], ['2026-02-28T12:00:00Z']])(
    'keeps the time %s',
    (creationTimestamp) => {
      expect(roundTrip(scheme.struct('meta/v1.ObjectMeta'), { creationTimestamp })).toEqual({ creationTimestamp });
    },
  );

  it('keeps microseconds', () => {
    const spec = { renewTime: '2026-01-02T03:04:05.000600Z', acquireTime: '1969-12-31T23:59:59.999999Z' };
    expect(roundTrip(scheme.struct('coordination/v1.LeaseSpec'), spec)).toEqual(spec);
  });

  it('keeps numbers and texts of either-or apart', () => {
    const port = scheme.struct('core/v1.ServicePort');
    expect(roundTrip(port, { port: 1, targetPort: '80' }).targetPort).toBe('80');
    expect(roundTrip(port, { port: 1, targetPort: 80 }).targetPort).toBe(80);
  });

  it('brings quantities into their printed form', () => {
    const requirements = roundTrip(scheme.struct('core/v1.ResourceRequirements'), { limits: { cpu: '1000m' } });
    expect(requirements).toEqual({ limits: { cpu: '1' } });
  });

  it('keeps texts of any length and script', () => {
    const schema = scheme.struct('core/v1.ConfigMap');
    const check = fc.property(
      fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary', maxLength: 200 })),
      (data) => {
        expect(roundTrip(schema, { data }).data ?? {}).toEqual(data);
      },
    );
    fc.assert(check, { seed: SEED });
  });
});

describe('maps', () => {
  const schema = scheme.struct('core/v1.ConfigMap');

  it('are written in byte order of their keys', () => {
    // In UTF-16 order the surrogates of the second key would stand first.
    const keys = ['\uffee', '\u{10000}'];
    const a = encodeObject(schema, { data: { [keys[0] as string]: '1', [keys[1] as string]: '2' } });
    const b = encodeObject(schema, { data: { [keys[1] as string]: '2', [keys[0] as string]: '1' } });
    expect(a.equals(b)).toBe(true);
    expect(a.indexOf(keys[0] as string)).toBeLessThan(a.indexOf(keys[1] as string));
  });

  it('hold a key named __proto__ as any other', () => {
    const data = JSON.parse('{"__proto__":"x"}');
    const read = roundTrip(schema, { data }).data as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});

describe('structs whose JSON form is their own', () => {
  const props = scheme.struct('apiextensions/v1.JSONSchemaProps');

  it.each([
    [{ additionalProperties: true }],
    [{ additionalProperties: false }],
    [{ additionalProperties: { type: 'string' } }],
    [{ items: { type: 'string' } }],
    [{ items: [{ type: 'string' }, { type: 'integer' }] }],
    [{ dependencies: { a: ['b'], c: { type: 'object' } } }],
    [{ enum: ['a', null, 1, { x: [] }] }],
    [{ default: { replicas: 9007199254740993n } }],
    [{ maximum: 1.5, properties: { a: { properties: { b: { nullable: true } } } } }],
  ])('keeps %o', (schema) => {
    expect(roundTrip(props, schema)).toEqual(schema);
  });

  it('keeps lists as values of maps', () => {
    const user = { username: 'u', extra: { scopes: ['a', 'b'], none: [] } };
    expect(roundTrip(scheme.struct('authentication/v1.UserInfo'), user)).toEqual(user);
  });
});

describe('hostile input', () => {
  const pod = scheme.struct('core/v1.Pod');
  const kinds = scheme.kinds.filter(({ schema }) => [...schema.fields.values()].some((f) => f.number !== undefined));

  const outcome = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(ProtobufError);
    }
  };

  it('ends in an object or a ProtobufError for random bytes', () => {
    const check = fc.property(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 300 }), ({ schema }, bytes) => {
      outcome(() => decodeObject(schema, bytes));
      outcome(() => decodeProtobufObject(schema, Buffer.concat([Uint8Array.of(0x6b, 0x38, 0x73, 0), bytes])));
    });
    fc.assert(check, { seed: SEED, numRuns: 2000 });
  });

  it('ends in an object or a ProtobufError for valid messages with bytes changed', () => {
    const valid = encodeObject(pod, {
      metadata: { name: 'a', labels: { a: 'b' }, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 1 }], resources: { limits: { cpu: '1' } } }] },
    });
    const change = fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 }));
    const check = fc.property(
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.nat(valid.length),
      (changes, cut) => {
        const bytes = Buffer.from(valid);
        for (const [at, value] of changes) bytes[at] = value;
        outcome(() => decodeObject(pod, bytes));
        outcome(() => decodeObject(pod, bytes.subarray(0, cut)));
      },
    );
    fc.assert(check, { seed: SEED, numRuns: 3000 });
  });

  it('refuses messages nested without end', () => {
    const props = scheme.struct('apiextensions/v1.JSONSchemaProps');
    expect(() => encodeObject(props, nest({}, 500))).toThrow(/nested deeper/);
    let bytes = encodeObject(props, nest({}, 300));
    expect(() => decodeObject(props, bytes)).not.toThrow();
    for (let i = 0; i < 200; i++) bytes = wrapInNot(bytes);
    expect(() => decodeObject(props, bytes)).toThrow(/nested deeper/);
  });

  it.each([
    ['a field beyond its end', [0x0a, 5, 1]],
    ['a varint without end', [0x08, ...Array<number>(11).fill(0xff)]],
    ['a wire type that is not', [0x0f]],
    ['field number 0', [0x00, 0x01]],
    ['the end of a group that did not start', [0x7c]],
    ['a text where a message is due', [0x0a, 2, 0x08, 1]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => decodeObject(pod, Uint8Array.from(bytes))).toThrow(ProtobufError);
  });

  it('refuses another prefix', () => {
    expect(() => decodeUnknown(Buffer.from('k8t\0'))).toThrow(ProtobufError);
    expect(() => decodeUnknown(Buffer.from('k8'))).toThrow(ProtobufError);
  });

  it.each([
    ['objects', Buffer.from([0x12, 0])],
    ['types', Buffer.from([0x0a, 0])],
    ['names in a type', Buffer.from([0x0a, 4, 0x0a, 0, 0x0a, 0])],
    ['unknown fields', Buffer.from([0x28, 0])],
  ])('refuses an envelope of too many %s', (_what, field) => {
    const bytes = Buffer.concat([Buffer.from('k8s\0'), ...Array<Buffer>(20).fill(field)]);
    expect(() => decodeProtobufObject(pod, bytes, { maxValues: 19 })).toThrow(TooManyValuesError);
  });

  it('refuses to write what has no binary form or does not fit', () => {
    expect(() => encodeObject(scheme.struct('meta/v1.Table'), {})).toThrow(/no binary form/);
    expect(() => encodeObject(pod, { spec: { nodeName: 5 } })).toThrow(ProtobufError);
    expect(() => encodeObject(pod, { spec: [] })).toThrow(ProtobufError);
    expect(() => encodeObject(pod, { metadata: { creationTimestamp: 'noon' } })).toThrow(ProtobufError);
  });
});

it('passes over fields that it does not know, groups included', () => {
  const schema = scheme.struct('meta/v1.ListMeta');
  const known = encodeObject(schema, { resourceVersion: '5' });
  const unknown = Uint8Array.of(
    0xa3,
    6,
    0x08,
    1,
    0x12,
    1,
    0,
    0xa4,
    6,
    0xad,
    6,
    1,
    2,
    3,
    4,
    0xa9,
    6,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
  );
  expect(decodeObject(schema, Buffer.concat([unknown, known]))).toEqual({ resourceVersion: '5' });
});

it('puts lists together from items that are encoded already', () => {
  const list = scheme.struct('core/v1.ConfigMapList');
  const values = ['a', 'b'].map((name) => ({ metadata: { name }, data: { k: name.repeat(200) } }));
  const metadata = { resourceVersion: '7', remainingItemCount: 3 };
  const meta = encodeObject(scheme.struct('meta/v1.ListMeta'), metadata);
  const items = values.map((item) => encodeObject(scheme.struct('core/v1.ConfigMap'), item));
  const spliced = Buffer.concat([
    listMetaHead(meta.length),
    meta,
    ...items.flatMap((item) => [listItemHead(item.length), item]),
  ]);
  expect(spliced.equals(encodeObject(list, { metadata, items: values }))).toBe(true);
  expect([meta, ...items].reduce((sum, field) => sum + listFieldSize(field.length), 0)).toBe(spliced.length);
});

it.each([0, 1, 127, 128, 20_000, 3_000_000])('an envelope in pieces is the envelope, around %i bytes', (length) => {
  const type = { apiVersion: 'apps/v1', kind: 'DeploymentList' };
  const raw = Buffer.alloc(length, 7);
  const { head, tail } = unknownFrame(type, length);
  expect(Buffer.concat([head, raw, tail]).equals(encodeUnknown({ ...type, raw }))).toBe(true);
});

function nest(object: object, levels: number): object {
  let outer = object;
  for (let i = 0; i < levels; i++) outer = { not: outer };
  return outer;
}

/** Field 28 (`not`) around a message. */
function wrapInNot(inner: Buffer): Buffer {
  const length: number[] = [];
  let rest = inner.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  length.push(rest);
  return Buffer.concat([Uint8Array.of(0xe2, 1, ...length), inner]);
}
