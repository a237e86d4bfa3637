import { expect, it } from 'vitest';
import type { Definition } from './definition.js';
import { DefinitionIndex } from './definition-index.js';

/** A follower whose definitions are those that were set, and the names of those that are looked up in it. */
function followed(...definitions: readonly Definition[]) {
  const known = new Map(definitions.map((one) => [one.name, one]));
  const listeners = new Set<(changed: ReadonlySet<string>) => void>();
  const follower = {
    definitions: known,
    onChange(listener: (changed: ReadonlySet<string>) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = (name: string, definition?: Definition) => {
    if (definition) known.set(name, definition);
    else known.delete(name);
    for (const listener of listeners) listener(new Set([name]));
  };
  return { follower, tell, listeners };
}

const definition = (name: string, more: Partial<Definition> = {}): Definition =>
  ({
    ...{ name, group: name.slice(name.indexOf('.') + 1), isSettled: true, isEstablished: true, isTerminating: false },
    ...{ storageVersion: 'v1', storedVersions: ['v1'], ...more },
  }) as Definition;

const namesOf = (definitions: Iterable<Definition>) => [...definitions].map(({ name }) => name).sort();

it('tells those about which something is to be done, as they change', () => {
  const { follower, tell, listeners } = followed(definition('a.x'), definition('b.x', { isSettled: false }));
  const index = new DefinitionIndex(follower);
  expect(namesOf(index.unfinished)).toEqual(['b.x']);
  tell('b.x', definition('b.x'));
  expect(namesOf(index.unfinished)).toEqual([]);
  for (const [at, more] of [
    { isEstablished: false },
    { isTerminating: true },
    { storedVersions: ['v0', 'v1'] },
    { storedVersions: ['v0'] },
    { isSettled: false },
  ].entries())
    tell(`c${at}.x`, definition(`c${at}.x`, more));
  expect(namesOf(index.unfinished)).toEqual(['c0.x', 'c1.x', 'c2.x', 'c3.x', 'c4.x']);
  tell('c1.x');
  expect(namesOf(index.unfinished)).toEqual(['c0.x', 'c2.x', 'c3.x', 'c4.x']);
  index.stop();
  expect(listeners.size).toBe(0);
});

it('tells those of a group', () => {
  const { follower, tell } = followed(definition('a.x'), definition('a.y'));
  const index = new DefinitionIndex(follower);
  tell('b.x', definition('b.x', { isSettled: false }));
  const renewed = definition('a.x');
  tell('a.x', renewed);
  expect(namesOf(index.ofGroup('x'))).toEqual(['a.x', 'b.x']);
  expect([...index.ofGroup('x')]).toContain(renewed);
  tell('a.y');
  expect(namesOf(index.ofGroup('y'))).toEqual([]);
});
