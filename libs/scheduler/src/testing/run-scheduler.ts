import { namesOf } from '@orch/machinery';
import { Scheduler, type SchedulerOptions } from '../cycle/scheduler.js';
import type { FakeCluster } from './fake-cluster.js';
import { profilesOf } from './profiles.js';

/** Observer that notices nothing. */
export const BLIND: SchedulerOptions['observer'] = {
  attempted: () => undefined,
  decided: () => undefined,
  scheduled: () => undefined,
  queued: () => undefined,
  preempted: () => undefined,
  preemptionTried: () => undefined,
  extensionPointRan: () => undefined,
  pluginRan: () => undefined,
  pluginEvaluated: () => undefined,
};

/** Runs a scheduler over a cluster of a test. @param options other than the default ones */
export function runScheduler(cluster: FakeCluster, options: Partial<SchedulerOptions> = {}): Scheduler {
  const scheduler = new Scheduler({
    profiles: profilesOf({}, cluster),
    informers: cluster.informers,
    names: namesOf('kubernetes'),
    api: cluster,
    events: { record: (pod, event) => void cluster.events.push({ ...event, pod: pod.metadata?.name ?? '' }) },
    observer: BLIND,
    backoff: { firstMs: 1_000, longestMs: 10_000 },
    maxBindings: 100,
    onError: () => undefined,
    clock: cluster.clock,
    ...options,
  });
  scheduler.start();
  return scheduler;
}

/** Resolves when the scheduler has nothing to do but to wait. */
export async function settled(scheduler: Scheduler): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = scheduler.isIdle ? quiet + 1 : 0)
    await new Promise((resolve) => setImmediate(resolve));
}
