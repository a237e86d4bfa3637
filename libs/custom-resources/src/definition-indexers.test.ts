import { ManualInformer } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import type { Definition } from './definition.js';
import { definitionIndexers } from './definition-informer.js';

const definition = (name: string, more: Partial<Definition> = {}): Definition =>
  ({
    ...{ name, group: name.slice(name.indexOf('.') + 1), isSettled: true, isEstablished: true, isTerminating: false },
    ...{ storageVersion: 'v1', storedVersions: ['v1'], ...more },
  }) as Definition;

const informerOf = (...definitions: readonly Definition[]) =>
  new ManualInformer(
    definitions.map((one) => [one.name, one] as const),
    definitionIndexers,
  );
const namesOf = (definitions: Iterable<Definition>) => [...definitions].map(({ name }) => name).sort();

it('indexes those about which something is to be done, as they change', () => {
  const informer = informerOf(definition('a.x'), definition('b.x', { isSettled: false }));
  const unfinished = () => namesOf(informer.byIndex('state', 'unfinished'));
  expect(unfinished()).toEqual(['b.x']);
  informer.put('b.x', definition('b.x'));
  expect(unfinished()).toEqual([]);
  for (const [at, more] of [
    { isEstablished: false },
    { isTerminating: true },
    { storedVersions: ['v0', 'v1'] },
    { storedVersions: ['v0'] },
    { isSettled: false },
  ].entries())
    informer.put(`c${at}.x`, definition(`c${at}.x`, more));
  expect(unfinished()).toEqual(['c0.x', 'c1.x', 'c2.x', 'c3.x', 'c4.x']);
  informer.remove('c1.x');
  expect(unfinished()).toEqual(['c0.x', 'c2.x', 'c3.x', 'c4.x']);
});

it('indexes those of a group', () => {
  const informer = informerOf(definition('a.x'), definition('a.y'));
  informer.put('b.x', definition('b.x', { isSettled: false }));
  const renewed = definition('a.x');
  informer.put('a.x', renewed);
  expect(namesOf(informer.byIndex('group', 'x'))).toEqual(['a.x', 'b.x']);
  expect([...informer.byIndex('group', 'x')]).toContain(renewed);
  informer.remove('a.y');
  expect(namesOf(informer.byIndex('group', 'y'))).toEqual([]);
});
