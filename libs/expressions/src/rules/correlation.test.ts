import { describe, expect, it, test } from 'vitest';
import type { Raw } from '../schema-types/native.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { isCorrelatable, oldItems } from './correlation.js';
import { RuleValidator } from './validator.js';

const KEYED = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
} as const;
const item = (name: Raw, port: Raw, size = 0) => ({ name, port, size });

/** With a step for each item, at most. */
function steps(schema: SchemaProps, items: Raw) {
  let count = 0;
  const made = oldItems(schema, items, {
    isStepOver: true,
    *pause() {
      count++;
      yield;
    },
  });
  for (let next = made.next(); ; next = made.next()) if (next.done) return { count, find: next.value };
}
const found = (schema: SchemaProps, items: Raw) => steps(schema, items).find;

it('elements before are looked at in steps', () => {
  expect(
    steps(
      KEYED,
      Array.from({ length: 50 }, (_, at) => item('a', at)),
    ).count,
  ).toBe(50);
});

describe('an element continues the one before of the same keys', () => {
  const before = [item('a', 1, 5), item('a', 2, 6), item('b', 1, 7), item('a', 1, 8)];
  const find = found(KEYED, before);

  it('all of them, and of several the first', () => {
    expect(find(item('a', 2))).toBe(before[1]);
    expect(find(item('b', 1))).toBe(before[2]);
    expect(find(item('a', 1))).toBe(before[0]);
    expect(find(item('b', 2))).toBeUndefined();
  });

  it('also where an integer comes in another form', () => {
    expect(find(item('b', 1n as Raw))).toBe(before[2]);
  });

  it.each<[string, Raw]>([
    ['a number written as a text', item('a', '2')],
    ['a text that looks like both keys', item('a,1', 1)],
    ['a key that is missing', { name: 'a' }],
    ['a key that is null', item('a', null)],
    ['a key that is an object', item('a', {} as Raw)],
    ['no object', 'a'],
    ['null', null],
  ])('but not %s', (_, element) => {
    expect(find(element)).toBeUndefined();
  });

  it('of what has no keys itself nothing is continued', () => {
    const foundIn = found(KEYED, [{}, null, 'a', item('a', null)]);
    for (const element of [{}, null, 'a', item('a', null)]) expect(foundIn(element)).toBeUndefined();
  });
});

test.each([
  ['lists that are no maps', { ...KEYED, 'x-kubernetes-list-type': 'set' as const }],
  ['lists of which nothing is said', { type: 'array', 'x-kubernetes-list-map-keys': ['name'] }],
  ['maps without keys', { ...KEYED, 'x-kubernetes-list-map-keys': [] }],
])('elements of %s continue none', (_, schema) => {
  const one = item('a', 1);
  expect(found(schema, [one])(one)).toBeUndefined();
});

test('what was no list has no elements', () => {
  for (const before of [undefined, null, 'a', item('a', 1)]) expect(found(KEYED, before)(item('a', 1))).toBeUndefined();
});

test.each([
  [undefined, true],
  ['granular', true],
  ['atomic', true],
  ['other', false],
] as const)('maps of type %s are compared by their members: %s', (type, expected) => {
  expect(isCorrelatable({ type: 'object', ...(type && { 'x-kubernetes-map-type': type as 'atomic' }) })).toBe(expected);
});

describe('rules on what was before', () => {
  const rule = { rule: 'self.size >= oldSelf.size', message: 'shrinks' };
  const items = {
    type: 'object',
    properties: { name: { type: 'string' }, port: { type: 'integer' }, size: { type: 'integer' } },
    'x-kubernetes-validations': [rule],
  };
  const validator = new RuleValidator({ type: 'object', properties: { list: { ...KEYED, items } } }, false);
  const told = (list: Raw, old: Raw) =>
    validator.validate({ list }, { list: old }, 'a').errors.map(({ field }) => field);

  it('see the element of the same keys, wherever it stood', () => {
    const before = [item('a', 1, 5), item('b', 1, 5)];
    expect(told([item('b', 1, 4), item('a', 1, 6)], before)).toEqual(['a.list[0]']);
    expect(told([item('b', 1, 6), item('a', 1, 4)], before)).toEqual(['a.list[1]']);
  });

  it('are not run where there was none', () => {
    expect(told([item('a', 2, 1), item('c', 1, 1)], [item('a', 1, 5)])).toEqual([]);
    expect(told([item('a', 1, 1)], undefined)).toEqual([]);
  });

  it('see no member that is only inherited', () => {
    const member = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'changed' }] };
    const json = (text: string) => JSON.parse(text) as Raw;
    const properties = Object.fromEntries(['constructor', 'plain'].map((name) => [name, member]));
    const judge = new RuleValidator({ type: 'object', properties }, false);
    const errors = (value: string, old: string) =>
      judge.validate(json(value), json(old), 'a').errors.map(({ field, message }) => `${field} ${message}`);
    expect(errors('{"constructor":1}', '{"plain":1}')).toEqual([]);
    expect(errors('{"constructor":1,"plain":1}', '{"constructor":2,"plain":2}')).toHaveLength(2);
  });
});
