import { ManualClock } from '@orch/runtime/testing';
import { podInfoOf } from '@orch/scheduler-plugins';
import { expect, it } from 'vitest';
import type { PendingPod } from '../queue/pending-pod.js';
import { BLIND } from '../testing/run-scheduler.js';
import { BindingCycle } from './binding-cycle.js';

it('lets other pods be bound while many wait for their volumes', async () => {
  const bound: string[] = [];
  const clock = new ManualClock();
  const cycle = new BindingCycle({
    api: { bind: async ({ name }) => void bound.push(name) },
    events: { record: () => undefined },
    observer: BLIND,
    clock,
    signal: new AbortController().signal,
  });
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const start = (name: string, waits: boolean) => {
    const pod = podInfoOf({ metadata: { name, namespace: 'ns', uid: name } });
    const reservations = waits ? [{ preBind: () => arrived, undo: () => undefined }] : [];
    return cycle.run({ info: pod, attempts: 1 } as PendingPod, { pod, node: 'n', reservations }, 0);
  };
  for (const name of ['a', 'b', 'c']) void start(name, true);
  await cycle.room(2);
  await start('d', false);
  expect(bound).toEqual(['d']);
  arrive();
  await cycle.ended();
  expect(bound).toEqual(['d', 'a', 'b', 'c']);
});
