import { Backoff, type BackoffSettings } from '@orch/runtime/work';
import type { ClusterEvent, PodInfo, QueuedPod } from '@orch/scheduler-plugins';

/** A pod that waits to be scheduled, with the history of its attempts. */
export class PendingPod implements QueuedPod {
  /** Number of attempts begun. */
  attempts = 0;
  /** When it was first ready to be scheduled: monotonic milliseconds. */
  firstReadyAt: number | undefined;
  /** Names of the plugins that rejected it in the last attempt; empty after an error. */
  rejectedBy: ReadonlySet<string> = new Set();
  /** Whether a plugin keeps it out of the queue. */
  isGated = false;
  /** When it may be tried again at the earliest: monotonic milliseconds. */
  retryAt = Number.NEGATIVE_INFINITY;
  /** Changes of the cluster since the attempt under way began. */
  readonly changes = new Set<ClusterEvent>();
  readonly #backoff: Backoff;

  constructor(
    /** The pod, in its newest state. */
    public info: PodInfo,
    /** When it was queued this time: monotonic milliseconds. */
    public queuedAt: number,
    backoff: BackoffSettings,
  ) {
    this.#backoff = new Backoff(backoff);
  }

  /** Ends a failed attempt at a time: the pod waits for longer after each. */
  fail(now: number, rejectedBy: ReadonlySet<string>): void {
    this.rejectedBy = rejectedBy;
    this.queuedAt = now;
    this.retryAt = now + this.#backoff.next();
  }
}
