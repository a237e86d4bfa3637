import { copy } from '@orch/machinery';
import { describe, expect, it, test } from 'vitest';
import { atOnce, compileSchema, fillDefaults, normalizeObject, type SchemaProps, validateObject } from './index.js';
import type { Json } from './json.js';

/** What becomes of a value that a client sends, and what is said of it then. */
function received(props: SchemaProps, value: unknown) {
  const schema = compileSchema({ type: 'object', properties: { spec: props } });
  const object = { spec: copy(value) } as Json;
  atOnce(normalizeObject(object, schema));
  atOnce(fillDefaults(object, schema));
  const errors = atOnce(validateObject(object, schema)).map(({ field, message }) => `${field}: ${message}`);
  return { spec: object.spec, errors };
}

const LIST = (items: SchemaProps): SchemaProps => ({ type: 'array', items });
const MAP = (values: SchemaProps): SchemaProps => ({ type: 'object', additionalProperties: values });
const MEMBER = (member: SchemaProps): SchemaProps => ({ type: 'object', properties: { a: member } });

const NULLABLE: SchemaProps = { type: 'string', nullable: true };
const PLAIN: SchemaProps = { type: 'string' };
const [NULLABLE_WITH, PLAIN_WITH] = [NULLABLE, PLAIN].map((props) => ({ ...props, default: 'd' })) as [
  SchemaProps,
  SchemaProps,
];

describe('null where it may stand', () => {
  it.each<[string, SchemaProps, unknown]>([
    ['an element', LIST(NULLABLE), [null, 'x', null]],
    ['an element that has a default', LIST(NULLABLE_WITH), [null, 'x']],
    ['an element of an element', LIST(LIST(NULLABLE_WITH)), [[null], ['x']]],
    ['a value', MAP(NULLABLE), { k: null }],
    ['a value that has a default', MAP(NULLABLE_WITH), { k: null }],
    ['a member', MEMBER(NULLABLE), { a: null }],
    ['a member that has a default', MEMBER(NULLABLE_WITH), { a: null }],
    ['an element that is an object', LIST({ type: 'object', nullable: true, default: {} }), [null, {}]],
  ])('stays: %s', (_, props, value) => {
    expect(received(props, value)).toEqual({ spec: value, errors: [] });
  });
});

describe('null where it may not stand', () => {
  it.each<[string, SchemaProps, unknown, unknown]>([
    ['an element', LIST(PLAIN_WITH), [null, 'x', null], ['d', 'x', 'd']],
    ['an element of an element', LIST(LIST(PLAIN_WITH)), [[null]], [['d']]],
    ['a value', MAP(PLAIN_WITH), { k: null }, { k: 'd' }],
    ['a member', MEMBER(PLAIN_WITH), { a: null }, { a: 'd' }],
    [
      'an element that is an object, with what is in its default',
      LIST({ ...MEMBER(PLAIN_WITH), default: {} }),
      [null],
      [{ a: 'd' }],
    ],
  ])('becomes the default: %s', (_, props, value, expected) => {
    expect(received(props, value)).toEqual({ spec: expected, errors: [] });
  });

  it('is dropped as a member, and told of as an element, where there is no default', () => {
    expect(received(MEMBER(PLAIN), { a: null })).toEqual({ spec: {}, errors: [] });
    expect(received(MAP(PLAIN), { k: null })).toEqual({ spec: {}, errors: [] });
    const { spec, errors } = received(LIST(PLAIN), ['x', null]);
    expect(spec).toEqual(['x', null]);
    expect(errors).toEqual([expect.stringMatching(/^spec\[1\]: Invalid value: "null": /)]);
  });
});

test.each(['constructor', 'toString', '__proto__'])(
  'the default of a member %s is filled in, which objects inherit',
  (name) => {
    const props = JSON.parse(
      `{"type":"object","properties":{${JSON.stringify(name)}:{"type":"string","default":"d"}}}`,
    );
    const { spec, errors } = received(props as SchemaProps, {});
    expect(errors).toEqual([]);
    expect(JSON.stringify(spec)).toBe(`{${JSON.stringify(name)}:"d"}`);
  },
);

test.each(['constructor', 'toString', '__proto__'])(
  'a required member %s is missing where it is only inherited',
  (name) => {
    expect(received({ type: 'object', required: [name], properties: { x: PLAIN } }, {}).errors).toEqual([
      `spec.${name}: Required value`,
    ]);
  },
);
