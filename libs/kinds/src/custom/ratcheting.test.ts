import { type ApiObject, copy, type JsonObject, namesOf } from '@orch/machinery';
import { SchemaPool } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { withFeatures } from '../testing/settings.js';
import { customVersions } from './custom-kind.js';

const TEXT = { type: 'string', maxLength: 3, enum: ['red', 'blu'] };
const KEYED = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const item = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, color: TEXT } };
const SPEC = {
  type: 'object',
  required: ['must'],
  'x-kubernetes-validations': [{ rule: "self.must != 'no'", message: 'not no' }],
  properties: {
    must: { type: 'string' },
    color: TEXT,
    keyed: { type: 'array', items: item, ...KEYED },
    atomic: { type: 'array', items: item },
    either: { type: 'object', properties: { a: TEXT }, anyOf: [{ properties: { a: { maxLength: 1 } } }] },
    ruled: {
      type: 'object',
      properties: {
        size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5', message: 'too small' }] },
      },
      'x-kubernetes-validations': [
        { rule: 'has(self.size)', message: 'no size' },
        { rule: 'self == oldSelf', message: 'changed' },
        { rule: 'oldSelf.size > 5', message: 'was small' },
      ],
    },
    list: {
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'", message: 'an x' }] },
    },
  },
};

function updates(on: boolean) {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const openAPIV3Schema = { type: 'object', properties: { spec: SPEC } };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  const definition = {
    spec: { group: 'example.test', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names },
  };
  const settings = { ...withFeatures({ CRDValidationRatcheting: on }), pool: new SchemaPool() };
  const [made] = customVersions(definition as unknown as JsonObject, namesOf('kubernetes'), settings);
  if (!made) throw new Error('no version');
  return (before: object, after: object): string[] => {
    const whole = (spec: object, resourceVersion: string) =>
      copy({
        apiVersion: 'example.test/v1',
        kind: 'Thing',
        metadata: { name: 'a', resourceVersion },
        spec,
      }) as ApiObject;
    const errors = made.rules.validateUpdate(whole(after, '2'), whole(before, '1'), '', []);
    const reported = [...errors].flat().filter(({ message }) => !message.includes('rules were not checked'));
    return reported.map(({ field, message }) => `${field}: ${message}`);
  };
}
const [update, strict] = [updates(true), updates(false)];
const fields = (errors: string[]): string[] => errors.map((error) => error.split(':')[0] as string);

describe('what is wrong and stays as it is', () => {
  it.each<[string, object, object]>([
    ['a member', { must: 'a', color: 'green' }, { must: 'b', color: 'green' }],
    [
      'an element with a key, wherever it stands',
      { must: 'a', keyed: [{ name: 'x', color: 'green' }] },
      { must: 'a', keyed: [{ name: 'y' }, { name: 'x', color: 'green' }] },
    ],
    ['a list as a whole', { must: 'a', atomic: [{}] }, { must: 'b', atomic: [{}] }],
    ['an alternative', { must: 'a', either: { a: 'red' } }, { must: 'b', either: { a: 'red' } }],
    ['a rule', { must: 'a', list: ['x'] }, { must: 'b', list: ['x'] }],
  ])('may stay, but not without the gate: %s', (_, before, after) => {
    expect(update(before, after)).toEqual([]);
    expect(strict(before, after).length).toBeGreaterThan(0);
  });

  it('is told where it is changed', () => {
    expect(update({ must: 'a', color: 'green' }, { must: 'a', color: 'grey' })).toHaveLength(2);
    expect(fields(update({ must: 'a', atomic: [{}] }, { must: 'a', atomic: [{}, { name: 'b' }] }))).toEqual([
      'spec.atomic[0].name',
    ]);
    expect(fields(update({ must: 'a', either: { a: 'red' } }, { must: 'a', either: { a: 'blu' } }))).toContain('<nil>');
    expect(fields(update({ must: 'a', list: ['x'] }, { must: 'a', list: ['x', 'y'] }))).toEqual(['spec.list[0]']);
    expect(update({ color: 'red' }, { color: 'blu' })).toEqual(['spec.must: Required value']);
  });

  it('is told by rules that look at what was before', () => {
    const ruled = { must: 'a', ruled: { size: 1 } };
    expect(update(ruled, { ...ruled, must: 'b' })).toEqual(['spec.ruled: Invalid value: "object": was small']);
    expect(update(ruled, { must: 'a', ruled: { size: 2 } })).toHaveLength(3);
  });
});
