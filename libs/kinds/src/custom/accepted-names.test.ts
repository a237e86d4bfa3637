import type { JsonObject } from '@orch/machinery';
import { describe, expect, test } from 'vitest';
import { acceptedNames, decideNames as decided, ESTABLISHED, isTrue, withConditions } from './accepted-names.js';
import { NamesInUse } from './names-in-use.js';

const NAMES = {
  plural: 'things',
  singular: 'thing',
  shortNames: ['th', 'tg'],
  kind: 'Thing',
  listKind: 'ThingList',
  categories: ['all'],
};
const OTHERS = {
  plural: 'others',
  singular: 'other',
  shortNames: ['o'],
  kind: 'Other',
  listKind: 'OtherList',
  categories: ['all'],
};
type Told = readonly { readonly type: string; readonly status: string }[];

const definition = (names: object, accepted?: object, conditions?: Told): JsonObject =>
  ({
    spec: { names },
    ...((accepted || conditions) && { status: { acceptedNames: accepted, conditions } }),
  }) as JsonObject;

const decideNames = (asking: JsonObject, others: JsonObject[]) =>
  decided(asking, new NamesInUse([asking, ...others].map(acceptedNames)));

describe('names of a definition', () => {
  test('that nobody has are accepted, and installing begins', () => {
    const naming = decideNames(definition(NAMES), [definition(OTHERS, OTHERS)]);
    expect(naming?.accepted).toEqual(NAMES);
    expect(naming?.conditions).toEqual([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      { type: 'Established', status: 'False', reason: 'Installing', message: 'the initial names have been accepted' },
    ]);
  });

  test('that are accepted already need no decision', () => {
    expect(decideNames(definition(NAMES, NAMES), [definition(NAMES, NAMES)])).toBeUndefined();
  });

  test('are accepted where it has given up the one that was not, and installing goes on', () => {
    const reported = [{ type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: 'x' }];
    const naming = decideNames(definition(NAMES, NAMES, reported), []);
    expect(naming?.accepted).toEqual(NAMES);
    expect(naming?.conditions.map(({ type, reason }) => [type, reason])).toEqual([
      ['NamesAccepted', 'NoConflicts'],
      ['Established', 'Installing'],
    ]);
  });

  test('that others only ask for are free', () => {
    expect(decideNames(definition(NAMES), [definition(NAMES)])?.accepted).toEqual(NAMES);
  });

  test.each([
    ['plural', { ...NAMES, plural: 'others' }, 'PluralConflict', '"others" is already in use'],
    ['singular', { ...NAMES, singular: 'o' }, 'SingularConflict', '"o" is already in use'],
    ['shortNames', { ...NAMES, shortNames: ['x', 'other'] }, 'ShortNamesConflict', '"other" is already in use'],
    [
      'shortNames',
      { ...NAMES, shortNames: ['other', 'o', 'o'] },
      'ShortNamesConflict',
      '["other" is already in use, "o" is already in use]',
    ],
    ['kind', { ...NAMES, kind: 'OtherList' }, 'KindConflict', '"OtherList" is already in use'],
    ['listKind', { ...NAMES, listKind: 'Other' }, 'ListKindConflict', '"Other" is already in use'],
  ])('%s in use by another are not: %j', (name, asked, reason, message) => {
    const naming = decideNames(definition(asked), [definition(OTHERS, OTHERS)]);
    const none = { plural: '', singular: '', shortNames: [], kind: '', listKind: '' };
    expect(naming?.accepted).toEqual({ ...asked, [name]: none[name as keyof typeof none] });
    expect(naming?.conditions).toEqual([
      { type: 'NamesAccepted', status: 'False', reason, message },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
  });

  test('the last of several conflicts is told', () => {
    const naming = decideNames(definition(OTHERS), [definition(OTHERS, OTHERS)]);
    expect(naming?.conditions[0]).toMatchObject({ reason: 'ListKindConflict' });
    expect(naming?.accepted).toMatchObject({ plural: '', kind: '', categories: ['all'] });
  });

  test('that conflict after a change stay those of before, and the kind stays established', () => {
    const established = [{ type: 'Established', status: 'True' }];
    const changed = definition({ ...NAMES, kind: 'Other' }, NAMES, established);
    const naming = decideNames(changed, [definition(OTHERS, OTHERS)]);
    expect(naming?.accepted).toEqual(NAMES);
    expect(naming?.conditions.map(({ type }) => type)).toEqual(['NamesAccepted']);
  });

  test('names of its own may change places in other lists only when they are free of itself, too', () => {
    const naming = decideNames(definition({ ...NAMES, singular: 'th' }, NAMES), []);
    expect(naming?.conditions[0]).toMatchObject({ reason: 'SingularConflict', message: '"th" is already in use' });
  });

  test('takes no longer for many short names than they are many', () => {
    const many = (prefix: string) => Array.from({ length: 40_000 }, (_, at) => `${prefix}${at}`);
    const before = { ...NAMES, shortNames: many('before') };
    const asked = definition({ ...NAMES, shortNames: many('asked') }, before);
    const began = performance.now();
    expect(decideNames(asked, [])?.accepted.shortNames).toHaveLength(40_000);
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  test('a short name that it has is its own', () => {
    const naming = decideNames(definition({ ...NAMES, shortNames: ['tg', 'new'] }, NAMES), []);
    expect(naming?.accepted.shortNames).toEqual(['tg', 'new']);
  });

  test('members of no type are none', () => {
    expect(acceptedNames({ status: { acceptedNames: { plural: 1, shortNames: 'x' } } })).toEqual({
      plural: '',
      singular: '',
      shortNames: [],
      kind: '',
      listKind: '',
      categories: [],
    });
  });
});

describe('conditions', () => {
  const AT = Date.parse('2026-01-01T00:00:00Z');
  const BEFORE = '2025-01-01T00:00:00Z';
  const reported = (status: 'True' | 'False') => ({ ...ESTABLISHED, status });
  const having = (status: string): JsonObject => ({
    status: { conditions: [{ type: 'Established', status, lastTransitionTime: BEFORE, reason: 'Old', message: '' }] },
  });

  test('that are new stand behind the others, with the time', () => {
    const [, made] = withConditions(having('True'), [{ ...ESTABLISHED, type: 'Terminating' }], AT);
    expect(made).toEqual({ ...ESTABLISHED, type: 'Terminating', lastTransitionTime: '2026-01-01T00:00:00Z' });
  });

  test.each([
    ['True', BEFORE],
    ['False', '2026-01-01T00:00:00Z'],
  ])('that were %s and are true are of %s', (before, since) => {
    expect(withConditions(having(before), [reported('True')], AT)).toEqual([
      { ...ESTABLISHED, lastTransitionTime: since },
    ]);
  });

  test('are looked for by type', () => {
    expect(isTrue(having('True'), 'Established')).toBe(true);
    expect(isTrue(having('False'), 'Established')).toBe(false);
    expect(isTrue({}, 'Established')).toBe(false);
  });
});
