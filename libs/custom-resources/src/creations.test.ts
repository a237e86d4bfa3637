import { expect, it } from 'vitest';
import { Creations } from './creations.js';
import type { Definition } from './definition.js';

/** Definitions as far as creations look at them. */
function known() {
  const definitions = new Map<string, Definition>();
  let version = 0n;
  let drained = 0;
  const set = (name: string, uid: string, isTerminating = false) => {
    definitions.set(name, { name, uid, isTerminating } as Definition);
    version++;
  };
  const knowledge = {
    definitions,
    get version() {
      return version;
    },
  };
  const creations = new Creations(knowledge, () => drained++);
  return { definitions, set, creations, drained: () => drained };
}

it('what is made of a kind that is to go holds up what came after it began, and nothing else does', () => {
  const { set, creations, drained } = known();
  set('a', '1');
  set('b', '2');
  const [endA, endB] = [creations.begin({ name: 'a', uid: '1' }), creations.begin({ name: 'b', uid: '2' })];
  set('c', '3');
  expect(creations.drained(3n)).toBe(3n);
  set('a', '1', true);
  expect([creations.drained(4n), creations.held]).toEqual([2n, ['1']]);
  expect(() => creations.begin({ name: 'a', uid: '1' })).toThrow('create not allowed');
  endB();
  expect([creations.drained(4n), drained()]).toEqual([2n, 0]);
  endA();
  endA();
  expect([creations.drained(4n), creations.held, drained()]).toEqual([4n, [], 1]);
});

it('of a definition that has gone, or is another now, nothing is made', () => {
  const { definitions, set, creations } = known();
  set('a', '1');
  const end = creations.begin({ name: 'a', uid: '1' });
  set('a', '2');
  expect(() => creations.begin({ name: 'a', uid: '1' })).toThrow('create not allowed');
  expect([creations.drained(2n), creations.held]).toEqual([1n, ['1']]);
  creations.begin({ name: 'a', uid: '2' })();
  definitions.delete('a');
  expect(() => creations.begin({ name: 'a', uid: '2' })).toThrow('create not allowed');
  end();
  expect(creations.drained(3n)).toBe(3n);
});
