import { expect, test } from 'vitest';
import type { Definition } from './definition.js';
import { ReadyDefinitions } from './ready-definitions.js';

const definition = (name: string, since = 1n) => ({ name, uid: name, since }) as Definition;

test('a definition is ready once, until it changes', () => {
  const ready = new ReadyDefinitions();
  const woken: string[] = [];
  ready.source.subscribe((name) => woken.push(name));
  const pending = [definition('a'), definition('b')];
  expect(ready.update(pending, ({ name }) => name === 'a')).toBe(true);
  expect(ready.update(pending, () => true)).toBe(false);
  expect(ready.update([definition('a', 2n)], () => true)).toBe(false);
  expect([woken, [...ready.source.keys()]]).toEqual([
    ['a', 'b', 'a'],
    ['a', 'b'],
  ]);
});

test('one that was finished in between wakes the controller again, though it is served as before', () => {
  const ready = new ReadyDefinitions();
  const woken: string[] = [];
  ready.source.subscribe((name) => woken.push(name));
  for (const pending of [[definition('a')], [], [definition('a')]]) {
    ready.retain(pending);
    ready.update(pending, () => true);
  }
  expect(woken).toEqual(['a', 'a']);
});
