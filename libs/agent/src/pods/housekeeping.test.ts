import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { PodHousekeeping } from './housekeeping.js';
import type { PodWork } from './pod-workers.js';

function* noWorks(): Generator<PodWork> {
  yield* [];
}

it('what is left of one pod and cannot be removed keeps nothing else from being removed', async () => {
  const removed: string[] = [];
  let forgotten = false;
  const housekeeping = new PodHousekeeping({
    ...{ hasSeenAll: () => true, listed: () => new Map(), clock: new ManualClock(), logger: silentLogger },
    workers: { get: () => undefined, list: noWorks, addOrphan: () => undefined },
    volumes: {
      known: async () => ['a', 'b'],
      remove: async (uid) => {
        if (uid === 'a') throw new Error('something is still mounted');
        removed.push(uid);
      },
    },
    statuses: {
      forgetAllBut: () => {
        forgotten = true;
      },
    },
  });
  await housekeeping.clean();
  expect({ removed, forgotten }).toEqual({ removed: ['b'], forgotten: true });
});
