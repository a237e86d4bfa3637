import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client, type Connection } from '@orch/client';
import { LeadershipLoop, LeaseLock } from '@orch/controllers';
import { formatMicroTime, type Names } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { Leadership } from '@orch/runtime/work';
import type { SchedulerConfiguration } from '@orch/scheduler';
import { clientLease } from './api.js';

/** Callbacks of leader election. */
interface LeadershipTasks {
  /** Called when this process begins to lead. */
  readonly lead: () => void;
  /** Called when it leads no longer. */
  readonly retire: () => void;
  /** Called with each failure to renew the lease, which is retried. */
  readonly onError: (error: unknown) => void;
}

/** Leader election of a scheduler. */
interface SchedulerLeadership {
  /** Whether this process leads. */
  readonly leads: boolean;
  /** Begins to compete for the lease. */
  start(): void;
  /** Ends, and gives the lease back. */
  stop(): Promise<void>;
}

/** Lets one of several schedulers lead, by a Lease, or this one at once where the configuration says so. */
export function schedulerLeadership(
  { leaderElection }: SchedulerConfiguration,
  connection: Connection,
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
  // Requests of the lease wait for no others, and not beyond its time.
  const client = new Client(connection, { names, qps: -1, timeoutMs: renewDeadlineMs, maxRetries: 0 });
  const lock = new LeaseLock(clientLease(client, names, resourceNamespace, resourceName), {
    ...{ name: resourceName, namespace: resourceNamespace, durationMs },
    identity: `${hostname()}_${randomUUID()}`,
    formatTime: formatMicroTime,
  });
  const leadership = new Leadership(lock, systemClock, { leadershipMs: renewDeadlineMs, renewalMs: retryPeriodMs });
  const loop = new LeadershipLoop({ ...tasks, leadership, clock: systemClock });
  return {
    get leads() {
      return leadership.leads;
    },
    start: () => loop.start(),
    async stop() {
      await loop.stop();
      await client.close();
    },
  };
}

function alone({ lead }: LeadershipTasks): SchedulerLeadership {
  return { leads: true, start: lead, stop: async () => undefined };
}
