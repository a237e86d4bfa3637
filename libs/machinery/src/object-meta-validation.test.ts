import { describe, expect, it } from 'vitest';
import {
  dns1035LabelErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  labelValueErrors,
  pathSegmentErrors,
  qualifiedNameErrors,
} from './name-validation.js';
import type { ObjectMeta } from './object.js';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta-validation.js';

describe('names', () => {
  it.each<[string, (value: string) => string[], string[], string[]]>([
    [
      'DNS label',
      dnsLabelErrors,
      ['a', 'a-1', '1a', 'x'.repeat(63)],
      ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'x'.repeat(64), 'a\n'],
    ],
    [
      'DNS subdomain',
      dnsSubdomainErrors,
      ['a', 'a.b-c.1', 'x'.repeat(253)],
      ['', '.', 'a..b', 'a.', 'A', 'x'.repeat(254)],
    ],
    ['DNS-1035 label', dns1035LabelErrors, ['a', 'a-1'], ['1a', '', 'a.b', 'x'.repeat(64)]],
    [
      'path segment',
      pathSegmentErrors,
      ['a:b', 'A', 'x y', '...', '\u{1f600}', 'x'.repeat(1024), '\u00e9'.repeat(512)],
      ['.', '..', 'a/b', 'a%b', '\0', 'a\0b', 'a\ud800', '\udc00a', 'x'.repeat(1025), '\u00e9'.repeat(513)],
    ],
    [
      'qualified name',
      qualifiedNameErrors,
      ['a', 'A_b.c', 'x.io/A'],
      ['', '/a', 'a/', 'a/b/c', 'X/a', '-a', `x/${'a'.repeat(64)}`],
    ],
    ['label value', labelValueErrors, ['', 'a', 'A_b.c', 'x'.repeat(63)], ['-a', 'a b', 'x'.repeat(64)]],
  ])('%s', (_name, errors, valid, invalid) => {
    for (const value of valid) expect([value, errors(value)]).toEqual([value, []]);
    for (const value of invalid) expect([value, errors(value).length]).not.toEqual([value, 0]);
  });

  it('says what is wrong in the words that users know', () => {
    expect(dnsSubdomainErrors('A')).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(labelValueErrors('-')).toEqual([
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ]);
  });
});

const rules = { namespaced: true, nameRule: 'subdomain', path: 'metadata' } as const;
const valid: ObjectMeta = { name: 'a', namespace: 'default' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
const fieldsOf = (meta: ObjectMeta, over: Partial<typeof rules> = {}) =>
  validateObjectMeta(meta, { ...rules, ...over }).map(({ field, reason }) => `${field} ${reason}`);

describe('validateObjectMeta', () => {
  it.each<[string, ObjectMeta, string[]]>([
    [
      'a whole one',
      {
        ...valid,
        labels: { 'x.io/a': 'b' },
        annotations: { A: '\n' },
        finalizers: ['x.io/f'],
        ownerReferences: [owner],
      },
      [],
    ],
    ['no name', { namespace: 'default' }, ['metadata.name FieldValueRequired']],
    ['a bad name', { ...valid, name: 'A' }, ['metadata.name FieldValueInvalid']],
    ['a generateName with a dash', { ...valid, generateName: 'a-' }, []],
    ['a bad generateName', { ...valid, generateName: 'A-' }, ['metadata.generateName FieldValueInvalid']],
    ['no namespace', { name: 'a' }, ['metadata.namespace FieldValueRequired']],
    ['a bad namespace', { ...valid, namespace: 'a.b' }, ['metadata.namespace FieldValueInvalid']],
    [
      'a bad label',
      { ...valid, labels: { '-': ' ' } },
      ['metadata.labels FieldValueInvalid', 'metadata.labels FieldValueInvalid'],
    ],
    ['a bad annotation key', { ...valid, annotations: { 'a b': '' } }, ['metadata.annotations FieldValueInvalid']],
    [
      'too many annotations',
      { ...valid, annotations: { a: 'é'.repeat(131072) } },
      ['metadata.annotations FieldValueTooLong'],
    ],
    ['a negative generation', { ...valid, generation: -1 }, ['metadata.generation FieldValueInvalid']],
    ['a bad finalizer', { ...valid, finalizers: ['a/b/c'] }, ['metadata.finalizers FieldValueInvalid']],
    [
      'both ways of dependents',
      { ...valid, finalizers: ['orphan', 'foregroundDeletion'] },
      ['metadata.finalizers FieldValueInvalid'],
    ],
    [
      'an owner without uid',
      { ...valid, ownerReferences: [{ ...owner, uid: '' }] },
      ['metadata.ownerReferences.uid FieldValueInvalid'],
    ],
    [
      'an owner of no version',
      { ...valid, ownerReferences: [{ ...owner, apiVersion: '' }] },
      ['metadata.ownerReferences.apiVersion FieldValueInvalid'],
    ],
    [
      'an event as owner',
      { ...valid, ownerReferences: [{ ...owner, kind: 'Event' }] },
      ['metadata.ownerReferences FieldValueInvalid'],
    ],
  ])('%s', (_name, meta, expected) => {
    expect(fieldsOf(meta)).toEqual(expected);
  });

  it('allows one controller only', () => {
    const references = [
      { ...owner, controller: true },
      { ...owner, name: 'q', controller: true },
    ];
    expect(validateObjectMeta({ ...valid, ownerReferences: references }, rules)[0]?.message).toContain(
      'Only one reference can have Controller set to true. Found "true" in references for p and q',
    );
    expect(fieldsOf({ ...valid, ownerReferences: [{ ...owner, controller: true }, owner] })).toEqual([]);
  });

  it('refuses a namespace on what has none', () => {
    expect(fieldsOf(valid, { namespaced: false as true })).toEqual(['metadata.namespace FieldValueForbidden']);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = {
    ...valid,
    uid: 'u',
    creationTimestamp: '2026-01-02T03:04:05Z',
    generation: 2,
    finalizers: ['a'],
  };
  const dying: ObjectMeta = { ...old, deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 30 };

  it.each<[string, ObjectMeta, ObjectMeta, string[]]>([
    ['nothing', old, old, []],
    ['labels and finalizers', { ...old, labels: { a: 'b' }, finalizers: ['a', 'b'] }, old, []],
    ['the name', { ...old, name: 'b' }, old, ['metadata.name']],
    [
      'uid and creation time',
      { ...old, uid: 'v', creationTimestamp: null },
      old,
      ['metadata.uid', 'metadata.creationTimestamp'],
    ],
    ['a smaller generation', { ...old, generation: 1 }, old, ['metadata.generation']],
    ['a deletion time', { ...dying }, old, ['metadata.deletionTimestamp', 'metadata.deletionGracePeriodSeconds']],
    ['fewer finalizers while going away', { ...dying, finalizers: [] }, dying, []],
    ['more finalizers while going away', { ...dying, finalizers: ['a', 'c', 'b'] }, dying, ['metadata.finalizers']],
  ])('%s', (_name, meta, before, expected) => {
    expect(validateObjectMetaUpdate(meta, before).map(({ field }) => field)).toEqual(expected);
  });

  it('names the finalizers that came too late', () => {
    expect(validateObjectMetaUpdate({ ...dying, finalizers: ['a', 'c', 'b'] }, dying)[0]?.message).toBe(
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b", "c"}',
    );
  });
});

it('names entries of managedFields that are not as the server writes them', () => {
  const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
  const managedFields = [
    entry,
    { ...entry, manager: 'm'.repeat(129) },
    { ...entry, manager: 'a\nb' },
    { ...entry, subresource: 's'.repeat(257) },
    { ...entry, operation: 'Steal', fieldsType: 'FieldsV2' },
  ];
  const errors = validateObjectMeta({ ...valid, managedFields }, rules);
  expect(errors.map(({ field }) => field)).toEqual([
    'metadata.managedFields[1].manager',
    'metadata.managedFields[2].manager',
    'metadata.managedFields[3].subresource',
    'metadata.managedFields[4].operation',
    'metadata.managedFields[4].fieldsType',
  ]);
});
