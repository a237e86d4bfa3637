import { describe, expect, it } from 'vitest';
import { atOnce, compileSchema, Prior, type SchemaProps, validateObject } from './index.js';
import type { Json } from './json.js';

const TEXT: SchemaProps = { type: 'string' };
const OBJECT: SchemaProps = { type: 'object', additionalProperties: TEXT };
const KEYED: SchemaProps = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
  items: { type: 'object', properties: { name: TEXT, port: { type: 'integer' }, color: TEXT } },
};

/** Whether a value is told to be what it was. */
function isKept(props: SchemaProps, before: unknown, after: object): boolean {
  const schema = compileSchema({ type: 'object', properties: { value: props } });
  return atOnce(Prior.of({ value: after }, { value: before }, schema)).isUnchanged(after);
}

describe('an object is what it was', () => {
  it('whatever the order of its members', () => {
    expect(isKept(OBJECT, { a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
    expect(isKept(OBJECT, {}, {})).toBe(true);
  });

  it.each([
    ['a member is changed', { a: '1' }, { a: '2' }],
    ['a member is removed', { a: '1', b: '2' }, { a: '1' }],
    ['all members are removed', { a: '1' }, {}],
    ['a member is added', { a: '1' }, { a: '1', b: '2' }],
    ['a member gets another name', { a: '1' }, { b: '1' }],
    ['it was a list', [], {}],
    ['there was none', null, {}],
  ])('not where %s', (_, before, after) => {
    expect(isKept(OBJECT, before, after)).toBe(false);
  });

  it('not where no schema knows a member', () => {
    expect(isKept({ type: 'object' }, { a: '1' }, { a: '1' })).toBe(false);
  });
});

describe('a list whose elements have keys is what it was', () => {
  const [one, two] = [
    { name: 'a', port: 1, color: 'red' },
    { name: 'a', port: 2 },
  ];

  it('whatever the order of its elements', () => {
    expect(isKept(KEYED, [one, two], [{ ...two }, { ...one }])).toBe(true);
  });

  it('keys that are written the same are not the same where they are of two types', () => {
    const texts = { ...two, port: '2' };
    expect(isKept(KEYED, [two, texts], [{ ...two }, { ...texts }])).toBe(true);
  });

  it.each([
    ['an element is removed', [one, two], [{ ...one }]],
    ['all elements are removed', [one], []],
    ['an element is added', [one], [{ ...one }, { ...two }]],
    ['an element is changed', [one, two], [{ ...one, color: 'blue' }, { ...two }]],
    ['an element gets another key', [one], [{ ...one, port: 3 }]],
    ['a key is another type', [one], [{ ...one, port: '1' }]],
    ['it was no list', { 0: one }, [{ ...one }]],
  ])('not where %s', (_, before, after) => {
    expect(isKept(KEYED, before, after)).toBe(false);
  });
});

it('a list without keys is what it was in its order alone', () => {
  const plain: SchemaProps = { type: 'array', items: OBJECT };
  expect(isKept(plain, [{ a: '1' }, { b: '2' }], [{ a: '1' }, { b: '2' }])).toBe(true);
  expect(isKept(plain, [{ a: '1' }, { b: '2' }], [{ b: '2' }, { a: '1' }])).toBe(false);
  expect(isKept(plain, [{ a: '1' }, { b: '2' }], [{ a: '1' }])).toBe(false);
});

describe('of names that every object inherits', () => {
  const ANY: SchemaProps = { 'x-kubernetes-preserve-unknown-fields': true, type: 'object', additionalProperties: {} };
  const json = (text: string): Json => JSON.parse(text) as Json;

  it.each(['constructor', 'toString', '__proto__'])('%s is none of what was before', (name) => {
    const after = json(`{${JSON.stringify(name)}:{}}`);
    const schema = compileSchema(ANY);
    const prior = atOnce(Prior.of(after, json('{"other":1}'), schema));
    expect(prior.isUnchanged(after)).toBe(false);
    expect(prior.keeps(after, name)).toBe(false);
    expect(prior.isUnchanged(Object.getOwnPropertyDescriptor(after, name)?.value)).toBe(false);
  });
});

describe('of an update that leaves wrong what was wrong', () => {
  const errorsOf = (spec: SchemaProps, before: unknown, after: unknown) => {
    const schema = compileSchema({ type: 'object', properties: { spec } });
    const [object, old] = [{ spec: after }, { spec: before }] as Json[];
    const prior = atOnce(Prior.of(object as Json, old as Json, schema));
    return atOnce(validateObject(object as Json, schema, { old: old as Json, prior })).map(({ field }) => field);
  };

  it.each<[string, SchemaProps, unknown, unknown, string]>([
    ['a member', { ...OBJECT, minProperties: 3 }, { a: '1', b: '2' }, { a: '1' }, 'spec'],
    ['an element', { ...KEYED, minItems: 3 }, [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }], 'spec'],
    ['what is required', { ...OBJECT, required: ['a', 'b'] }, { b: '1' }, {}, 'spec.a'],
  ])('%s that is removed is told of', (_, spec, before, after, field) => {
    expect(errorsOf(spec, before, before)).toEqual([]);
    expect(errorsOf(spec, before, after)).toContain(field);
  });

  it.each(['anyOf', 'oneOf', 'allOf'] as const)('nothing is laxer within %s', (combined) => {
    const strict = { properties: { a: { maxLength: 1 } } };
    const spec: SchemaProps = { type: 'object', properties: { a: TEXT, b: TEXT }, [combined]: [strict] };
    expect(errorsOf(spec, { a: 'long', b: 'x' }, { a: 'long', b: 'x' })).toEqual([]);
    expect(errorsOf(spec, { a: 'long', b: 'x' }, { a: 'long', b: 'y' })).toContain('spec.a');
  });

  it('nothing is laxer within not', () => {
    const spec: SchemaProps = {
      type: 'object',
      properties: { a: TEXT, b: TEXT },
      not: { properties: { a: { maxLength: 1 } } },
    };
    expect(errorsOf(spec, { a: 'long', b: 'x' }, { a: 'long', b: 'y' })).toEqual([]);
    expect(errorsOf(spec, { a: 'l', b: 'x' }, { a: 'l', b: 'y' })).toHaveLength(1);
  });

  it('what stands behind alternatives is still left as it was', () => {
    const spec: SchemaProps = {
      type: 'object',
      properties: { a: { ...TEXT, maxLength: 1 }, b: TEXT },
      anyOf: [{ properties: { b: { maxLength: 1 } } }],
    };
    expect(errorsOf(spec, { a: 'long', b: 'x' }, { a: 'long', b: 'y' })).toEqual([]);
  });
});
