import { expect, it } from 'vitest';
import { ClusterChanges } from './cluster-changes.js';

/** Takes longer than one turn of the event loop has time for. */
function takeLong(): void {
  const end = performance.now() + 20;
  while (performance.now() < end);
}

it('are applied in their order, at once where there is time, and one after a fault', () => {
  const applied: unknown[] = [];
  const changes = new ClusterChanges((error) => void applied.push((error as Error).message));
  changes.add(() => {
    changes.add(() => void applied.push('within'));
    applied.push('first');
  });
  changes.add(() => {
    throw new Error('fault');
  });
  changes.add(() => void applied.push('last'));
  expect(applied).toEqual(['first', 'within', 'fault', 'last']);
});

it('wait for the end of a decision, and for their turn', async () => {
  const applied: string[] = [];
  const changes = new ClusterChanges(() => undefined);
  changes.hold();
  changes.add(takeLong);
  for (const name of ['a', 'b']) changes.add(() => void applied.push(name));
  expect([applied, changes.pause]).toEqual([[], undefined]);
  changes.release();
  changes.add(() => void applied.push('c'));
  expect(applied).toEqual([]);
  let turns = 0;
  setImmediate(() => turns++);
  while (changes.pause) await changes.pause;
  expect([applied, turns]).toEqual([['a', 'b', 'c'], 1]);
});

it('are waited for as far as they had come, and are held back by a decision while others wait', async () => {
  const applied: string[] = [];
  const changes = new ClusterChanges(() => undefined);
  expect(changes.caughtUp()).toBeUndefined();
  changes.add(takeLong);
  changes.add(() => {
    applied.push('a');
    takeLong();
  });
  const known = changes.caughtUp();
  changes.add(() => void applied.push('b'));
  await known;
  expect(applied).toEqual(['a']);
  changes.hold();
  await new Promise((resolve) => setImmediate(resolve));
  expect([applied, changes.pause]).toEqual([['a'], undefined]);
  changes.release();
  expect(applied).toEqual(['a', 'b']);
});

it('are forgotten when they are not wanted any more', async () => {
  const applied: string[] = [];
  const changes = new ClusterChanges(() => undefined);
  changes.add(takeLong);
  changes.add(() => void applied.push('a'));
  changes.clear();
  changes.add(() => void applied.push('b'));
  while (changes.pause) await changes.pause;
  expect(applied).toEqual(['b']);
});
