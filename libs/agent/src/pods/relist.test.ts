import type { ListedPod } from '@orch/pod-containers';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { expect, it } from 'vitest';
import { Relist } from './relist.js';

it('a list is decided by that was begun after a time, and not long ago', async () => {
  const clock = new ManualClock();
  const pods: ReadonlyMap<string, ListedPod> = new Map([
    ['u', { uid: 'u', name: 'p', namespace: 'n', sandboxes: [], containers: [] }],
  ]);
  let isAway = false;
  const list = async () => {
    if (isAway) throw new Error('away');
    // What happens while it lists may be missing in it.
    await new Promise<void>((resolve) => clock.after(500, resolve));
    return pods;
  };
  const relist = new Relist({ list, onChange: () => undefined, clock, logger: silentLogger });
  const started = relist.start();
  expect(relist.since(-1)).toBeUndefined();
  await clock.advance(500);
  await started;
  expect([relist.since(-1), relist.since(0), relist.since(250)]).toEqual([pods, undefined, undefined]);
  isAway = true;
  await clock.advance(2_500);
  expect(relist.since(-1)).toBe(pods);
  await clock.advance(1);
  expect(relist.since(-1)).toBeUndefined();
  await relist.stop();
});
