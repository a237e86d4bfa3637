import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LeadershipLoop, LeaseLock } from '@orch/controllers';
import { formatMicroTime, type Names } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { Leadership } from '@orch/runtime/work';
import type { SchedulerConfiguration } from '@orch/scheduler';
import { leaseClient } from './api.js';
import type { SchedulerCluster } from './cluster.js';

/** Callbacks of leader election. */
interface LeadershipTasks {
  /** Called when this process begins to lead. @param leads whether it still does, by the clock */
  readonly lead: (leads: () => boolean) => void;
  /** Called when it leads no longer. */
  readonly retire: () => void;
  /** Called with each failure to renew the lease, which is retried. */
  readonly onError: (error: unknown) => void;
}

/** Leader election of a scheduler. */
interface SchedulerLeadership {
  /** Begins to compete for the lease. */
  start(): void;
  /** Begins no term any more; the lease is kept until {@link stop}. */
  halt(): void;
  /** Ends, and gives the lease back. */
  stop(): Promise<void>;
}

/** Lets one of several schedulers lead, by a Lease, or this one at once where the configuration says so. */
export function schedulerLeadership(
  { leaderElection }: SchedulerConfiguration,
  cluster: Pick<SchedulerCluster, 'lease'>,
  names: Names,
  tasks: LeadershipTasks,
): SchedulerLeadership {
  if (!leaderElection.leaderElect) return alone(tasks);
  const {
    leaseDurationMs: durationMs,
    renewDeadlineMs,
    retryPeriodMs,
    resourceName,
    resourceNamespace,
  } = leaderElection;
  const lease = { namespace: resourceNamespace, name: resourceName };
  const lock = new LeaseLock(leaseClient(cluster.lease(renewDeadlineMs), names, lease), {
    ...{ ...lease, durationMs },
    identity: `${hostname()}_${randomUUID()}`,
    formatTime: formatMicroTime,
  });
  const leadership = new Leadership(lock, systemClock, { leadershipMs: renewDeadlineMs, renewalMs: retryPeriodMs });
  const lead = () => tasks.lead(() => leadership.leads);
  return new LeadershipLoop({ ...tasks, lead, leadership, clock: systemClock });
}

const alone = ({ lead }: LeadershipTasks): SchedulerLeadership => ({
  start: () => lead(() => true),
  halt: () => undefined,
  stop: async () => undefined,
});
