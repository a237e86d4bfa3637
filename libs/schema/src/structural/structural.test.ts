import { copy } from '@orch/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  compileSchema,
  Effort,
  fillDefaults,
  fillThere,
  normalizeObject,
  prune,
  type SchemaProps,
  TooManyDefaults,
  validateObject,
} from './index.js';
import type { Json } from './json.js';

const errorsOf = (object: Json, props: SchemaProps, old?: Json) =>
  atOnce(validateObject(object, compileSchema(props), old && { old })).map(
    ({ field, message }) => `${field}: ${message}`,
  );
const specOf = (props: SchemaProps): SchemaProps => ({ type: 'object', properties: { spec: props } });

interface Sample {
  readonly props: SchemaProps;
  readonly value: unknown;
}

const scalar = fc.oneof(
  fc.record({ type: fc.constant('string'), value: fc.string({ maxLength: 5 }) }),
  fc.record({ type: fc.constant('integer'), value: fc.integer() }),
  fc.record({ type: fc.constant('boolean'), value: fc.boolean() }),
);
const name = fc.constantFrom('a', 'b', 'c', 'apiVersion', '__proto__', 'x-y');

/** A schema and a value that it allows, but for members that it does not know and nulls. */
const { sample } = fc.letrec<{ sample: Sample; leaf: Sample; object: Sample; list: Sample; map: Sample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 4 }, tie('leaf'), tie('object'), tie('list'), tie('map')),
  leaf: fc
    .tuple(scalar, fc.boolean(), fc.boolean(), fc.boolean())
    .map(([{ type, value }, nullable, isNull, defaults]) => ({
      props: { type, nullable, ...(defaults && { default: value }) },
      value: isNull ? null : value,
    })),
  object: fc
    .tuple(fc.array(fc.tuple(name, tie('sample'), fc.boolean()), { maxLength: 4 }), fc.boolean(), fc.jsonValue())
    .map(([members, preserves, other]) => {
      const properties = Object.fromEntries(members.map(([key, { props }]) => [key, props]));
      const known = members.filter(([, , there]) => there).map(([key]) => key);
      const last = new Map(members.map(([key, { value }]) => [key, value]));
      const value = Object.fromEntries(known.map((key) => [key, last.get(key)]));
      return {
        props: { type: 'object', properties, ...(preserves && { 'x-kubernetes-preserve-unknown-fields': true }) },
        value: { ...value, unknown: other },
      };
    }),
  list: tie('sample').chain((item) =>
    fc.integer({ min: 0, max: 3 }).map((count) => ({
      // Elements that are null stay so.
      props: { type: 'array', items: { ...item.props, nullable: true } },
      value: Array.from({ length: count }, () => copy(item.value)),
    })),
  ),
  map: tie('sample').chain((item) =>
    fc.uniqueArray(name, { maxLength: 3 }).map((keys) => ({
      props: { type: 'object', additionalProperties: item.props },
      value: Object.fromEntries(keys.map((key) => [key, copy(item.value)])),
    })),
  ),
}));

const property = (holds: (object: Json, props: SchemaProps) => void): void =>
  fc.assert(
    fc.property(sample, ({ props, value }) => holds(copy({ spec: value }), specOf(props))),
    { seed: 13, numRuns: 500 },
  );

describe('objects of generated schemas', () => {
  it('are pruned once for all', () => {
    property((object, props) => {
      atOnce(normalizeObject(object, compileSchema(props)));
      const before = copy(object);
      expect(atOnce(normalizeObject(object, compileSchema(props)))).toEqual([]);
      expect(object).toEqual(before);
    });
  });

  it('have their defaults once for all', () => {
    property((object, props) => {
      const schema = compileSchema(props);
      atOnce(normalizeObject(object, schema));
      atOnce(fillDefaults(object, schema));
      const before = copy(object);
      atOnce(fillDefaults(object, schema));
      atOnce(normalizeObject(object, schema));
      expect(object).toEqual(before);
    });
  });

  it('are valid then', () => {
    property((object, props) => {
      const schema = compileSchema(props);
      atOnce(normalizeObject(object, schema));
      atOnce(fillDefaults(object, schema));
      expect(errorsOf(object, props)).toEqual([]);
    });
  });
});

const many = () => Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`m${at}`, at]));

describe('validation', () => {
  it.each<[string, SchemaProps, unknown, string[]]>([
    [
      'the alternative with the most checks is told',
      {
        type: 'object',
        properties: { a: {}, b: {} },
        anyOf: [{ type: 'string' }, { type: 'object', required: ['b'] }],
      },
      {},
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', 'spec.b: Required value'],
    ],
    ['an integer limit is cut', { type: 'number', minimum: 2.5 }, 2, []],
    [
      'large integers are exact',
      { type: 'integer', maximum: 9007199254740993n },
      9007199254740994n,
      ['spec: Invalid value: 9007199254740994: spec in body should be less than or equal to 9007199254740993'],
    ],
    [
      'what is no int64 is no integer',
      { type: 'integer' },
      1e30,
      ['spec: Invalid value: "number": spec in body must be of type integer: "number"'],
    ],
    ...[2n ** 63n, -(2n ** 63n) - 1n, 10n ** 30n].map(
      (value) =>
        [
          `an integer of more than 64 bits is none: ${value}`,
          { type: 'integer' },
          value,
          ['spec: Invalid value: "number": spec in body must be of type integer: "number"'],
        ] as [string, SchemaProps, unknown, string[]],
    ),
    ['the largest integers are some', { type: 'integer' }, 2n ** 63n - 1n, []],
    ['the smallest integers are some', { type: 'integer', maximum: 0 }, -(2n ** 63n), []],
    ['what is no integer may be a number', { type: 'number', minimum: 1.5 }, 2n ** 64n, []],
    [
      'and a multiple of nothing',
      { type: 'number', multipleOf: 0.5 },
      2n ** 64n,
      ['spec: Invalid value: 18446744073709551616: spec in body should be a multiple of 0.5'],
    ],
    [
      'neither an integer nor a text',
      { 'x-kubernetes-int-or-string': true },
      2n ** 63n,
      ['spec: Invalid value: "number": spec in body must be of type integer,string: "number"'],
    ],
    [
      'a format beside another type',
      { type: 'string', format: 'date' },
      5,
      ['spec: Invalid value: "int64": spec in body must be of type date: "int64"'],
    ],
    [
      'null is none of an enumeration',
      { type: 'string', nullable: true, enum: ['a'] },
      null,
      ['spec: Unsupported value: "null": supported values: "a"'],
    ],
    [
      'members that may not be',
      { type: 'object', additionalProperties: false },
      { a: 1 },
      ['spec: Invalid value: "a": spec.a in body is a forbidden property'],
    ],
    [
      'an error once',
      { type: 'string', allOf: [{ minLength: 2 }, { minLength: 2 }] },
      'a',
      [
        'spec: Invalid value: "a": spec in body should be at least 2 chars long',
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
      ],
    ],
  ])('%s', (_, props, value, errors) => {
    expect(errorsOf({ spec: value }, specOf(props))).toEqual(errors);
  });

  it('of elements that stood twice before lets them pass', () => {
    const props = specOf({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' });
    expect(errorsOf({ spec: ['a', 'a', 'a'] }, props)).toEqual(['spec[1]: Duplicate value: "a"']);
    expect(errorsOf({ spec: ['a', 'a'] }, props, { spec: ['b', 'b'] })).toEqual([]);
  });

  it.each([
    ['few members', { a: 1, b: 'x', c: null, d: true }, { d: true, c: null, b: 'x', a: 1 }, { a: 1, b: 'x' }],
    ['members in them', { a: { c: 1, d: 2 } }, { a: { d: 2, c: 1 } }, { a: { c: 1 } }],
    ['many members', { ...many(), z: 1 }, { z: 1, ...many() }, many()],
    ['integers that are large', { a: 2n ** 60n }, { a: 2n ** 60n }, { a: 2n ** 60n + 1n }],
    ['texts that look like more members', { a: '1","b":"2' }, { a: '1","b":"2' }, { a: '1', b: '2' }],
  ])('of sets of objects of %s knows which are the same', (_what, one, same, other) => {
    const items: SchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const props = specOf({ type: 'array', items, 'x-kubernetes-list-type': 'set' });
    expect(errorsOf({ spec: [one, other] }, props)).toEqual([]);
    expect(errorsOf({ spec: [one, other, same] }, props)).toEqual([
      expect.stringMatching(/^spec\[2\]: Duplicate value/),
    ]);
  });

  it('of lists that are maps looks at lists within them', () => {
    const inner: SchemaProps = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    const items: SchemaProps = { type: 'object', properties: { name: { type: 'string' }, texts: inner } };
    const map = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } as const;
    const spec = [{ name: 'a', texts: ['x', 'x'] }, { name: 'b' }, { name: 'a' }];
    expect(errorsOf({ spec }, specOf({ type: 'array', items, ...map }))).toEqual([
      'spec[2]: Duplicate value: map[string]interface {}{"name":"a"}',
      'spec[0].texts[1]: Duplicate value: "x"',
    ]);
  });

  it('of a large object gives others their turn, and does not tell everything', () => {
    const items: SchemaProps = {
      type: 'string',
      pattern: '^[a-z]+$',
      enum: Array.from({ length: 1000 }, (_, at) => `a${at}`),
    };
    const object = { spec: Array.from({ length: 100_000 }, (_, at) => `b${at}`) };
    const steps = validateObject(object, compileSchema(specOf({ type: 'array', items })));
    let [count, longest] = [0, 0];
    for (;;) {
      const before = process.cpuUsage();
      const { done, value } = steps.next();
      longest = Math.max(longest, process.cpuUsage(before).user / 1000);
      if (!done) {
        count++;
        continue;
      }
      expect(value.length).toBeLessThan(1002);
      break;
    }
    expect(count).toBeGreaterThan(10);
    expect(longest).toBeLessThan(1000);
  });

  it('of alternatives within alternatives takes as long as the schema is large', () => {
    let props: SchemaProps = { type: 'string' };
    for (let depth = 0; depth < 60; depth++)
      props = { allOf: [props], anyOf: [{ type: 'integer' }, { type: 'string' }] };
    expect(errorsOf({ spec: 'a' }, specOf(props))).toEqual([]);
  });
});

describe('metadata', () => {
  const props = specOf({ type: 'object', 'x-kubernetes-embedded-resource': true });

  it('that cannot be read is dropped from what is stored, and refused from others', () => {
    const stored = () => ({
      metadata: {
        name: 'a',
        labels: { a: 1 },
        generation: 'x',
        other: 1,
        creationTimestamp: '2024-01-01T01:00:00+01:00',
      },
      spec: { apiVersion: 5, kind: 'Pod', metadata: { name: 'b', labels: 'no', finalizers: [] } },
    });
    const object = stored();
    expect(atOnce(normalizeObject(object, compileSchema(props), { dropMalformed: true }))).toEqual(['metadata.other']);
    expect(object).toEqual({
      metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00Z' },
      spec: { kind: 'Pod', metadata: { name: 'b' } },
    });
    expect(() => atOnce(normalizeObject(stored(), compileSchema(props)))).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });

  it.each<[string, SchemaProps, Json, Json]>([
    [
      'with it',
      { default: { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'Bar', unknown: 'x', labels: { a: null } } } },
      {},
      { apiVersion: 'v1', kind: 'Foo', metadata: { name: 'Bar', labels: { a: '' } } },
    ],
    [
      'in it',
      { properties: { metadata: { type: 'object', default: { name: 'Bar', unknown: 'x' } } } },
      { spec: { kind: 'K' } },
      { kind: 'K', metadata: { name: 'Bar' } },
    ],
    [
      'below it',
      {
        properties: {
          metadata: {
            type: 'object',
            properties: { name: { type: 'string', default: 'a' }, foo: { type: 'string', default: 'b' } },
          },
        },
      },
      { spec: { metadata: {} } },
      { metadata: { name: 'a' } },
    ],
  ])('of a whole object that comes from a default is made to be metadata: %s', (_where, more, object, spec) => {
    const whole: SchemaProps = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...more,
    };
    atOnce(fillDefaults(object, compileSchema(specOf(whole))));
    expect(object).toEqual({ spec });
  });

  it('says of owners what they are, and nothing of what is empty', () => {
    const object = { metadata: { name: '', ownerReferences: [{ kind: 'A', controller: false }], labels: {} } };
    atOnce(normalizeObject(object, compileSchema(props)));
    const owner = { apiVersion: '', kind: 'A', name: '', uid: '', controller: false };
    expect(object).toEqual({ metadata: { ownerReferences: [owner] } });
  });
});

describe('defaults', () => {
  it('are free of what the schema does not know', () => {
    const inner: SchemaProps = { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 1, b: 2 } };
    const object = {};
    atOnce(fillDefaults(object, compileSchema(specOf(inner))));
    expect(object).toEqual({ spec: { a: 1 } });
  });
});

describe('bounds', () => {
  it('of what defaults may add', () => {
    const member: SchemaProps = {
      type: 'array',
      items: { type: 'integer' },
      default: Array.from({ length: 1000 }, () => 1),
    };
    const schema = compileSchema(specOf({ type: 'array', items: { type: 'object', properties: { a: member } } }));
    const object = { spec: Array.from({ length: 10_000 }, () => ({})) };
    expect(() => atOnce(fillDefaults(object, schema))).toThrow(TooManyDefaults);
  });

  it('of what is filled in of an object that is there: no more than once, however often it is done', () => {
    const member: SchemaProps = {
      type: 'array',
      items: { type: 'string' },
      default: Array.from({ length: 1000 }, () => 'x'.repeat(160)),
    };
    const schema = compileSchema(specOf({ type: 'array', items: { type: 'object', properties: { a: member } } }));
    const object = { spec: Array.from({ length: 200 }, () => ({}) as { a?: string[] }) };
    const filled = () => object.spec.filter(({ a }) => a !== undefined).length;
    expect(atOnce(fillThere(object, schema))).toBe(false);
    const first = filled();
    expect(first).toBeGreaterThan(40);
    expect(first).toBeLessThan(50);
    expect(atOnce(fillThere(object, schema))).toBe(false);
    expect(filled()).toBe(first);
    const small = { spec: [{}] };
    expect(atOnce(fillThere(small, schema))).toBe(true);
    expect(small.spec[0]).toHaveProperty('a');
  });

  it('of the unknown fields that are told', () => {
    const object = { spec: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`a${at}`, 1])) };
    const schema = compileSchema(specOf({ type: 'object' }));
    expect(atOnce(normalizeObject(object, schema))).toHaveLength(100);
    expect(object).toEqual({ spec: {} });
  });

  it('a member of any name', () => {
    const object = JSON.parse('{"spec":{"__proto__":1,"constructor":2,"known":null}}') as Json;
    const schema = compileSchema(specOf({ type: 'object', properties: { known: { type: 'string', nullable: true } } }));
    atOnce(prune(object, schema, Effort.inSteps()));
    expect(object).toEqual({ spec: { known: null } });
  });

  it('of what is told of members of long names', () => {
    const key = 'k'.repeat(1_000_000);
    const list: SchemaProps = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' };
    const whole: SchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const map = (of: SchemaProps): SchemaProps => specOf({ type: 'object', additionalProperties: of });
    const many = Array.from({ length: 2000 }, (_, at) => at >> 1);
    expect(errorsOf({ spec: { [key]: many } }, map(list)).length).toBeLessThan(4);
    expect(
      errorsOf({ spec: { [key]: many.map(() => ({})) } }, map({ type: 'array', items: whole })).length,
    ).toBeLessThan(4);
    const objects = many.map(() => ({ metadata: { unknown: 1 } }));
    const schema = compileSchema(map({ type: 'array', items: whole }));
    expect(atOnce(normalizeObject({ spec: { [key]: objects } }, schema)).length).toBeLessThan(4);
    const unknown = Object.fromEntries(many.map((at) => [`a${at}`, at]));
    expect(
      atOnce(normalizeObject({ spec: { [key]: unknown } }, compileSchema(map({ type: 'object' })))).length,
    ).toBeLessThan(4);
  });
});

describe('types that cannot be read', () => {
  it('are shown as the release shows them', () => {
    const kind = { b: [1, 'x'], a: null };
    expect(() => atOnce(normalizeObject({ kind }, compileSchema({ type: 'object' })))).toThrow(
      '.kind accessor error: map[a:<nil> b:[1 x]] is of the type map[string]interface {}, expected string',
    );
  });
});

describe('a schema within schemas', () => {
  it('is looked at once for all that it stands in', () => {
    let looks = 0;
    const leaf = {
      type: 'string',
      get 'x-kubernetes-list-type'() {
        looks++;
        return undefined;
      },
    };
    const depth = 50;
    let props: Record<string, unknown> = { type: 'object', properties: { leaf } };
    for (let at = 0; at < depth; at++) props = { type: 'object', properties: { below: props } };
    let schema = compileSchema(props);
    for (let at = 0; at < depth; at++) {
      expect(schema.holdsUnique).toBe(false);
      schema = schema.property('below') ?? expect.unreachable();
    }
    expect(looks).toBe(1);
  });
});
