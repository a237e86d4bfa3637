import { Backoff, type BackoffSettings } from '@orch/runtime/work';
import type { ClusterEvent, EventResource, PodInfo, QueuedPod } from '@orch/scheduler-plugins';

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
  /** Bits of changes since the attempt under way began, by resource: an attempt may last for minutes. */
  readonly #changes = new Map<EventResource, number>();
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

  /** Changes of the cluster since the attempt under way began. */
  get changes(): readonly ClusterEvent[] {
    return [...this.#changes].map(([resource, actions]) => ({ resource, actions }));
  }

  /** Begins an attempt. */
  begin(): void {
    this.attempts++;
    this.rejectedBy = new Set();
    this.#changes.clear();
  }

  /** Notes a change of the cluster during an attempt. */
  note({ resource, actions }: ClusterEvent): void {
    this.#changes.set(resource, (this.#changes.get(resource) ?? 0) | actions);
  }

  /** Ends a failed attempt at a time: the pod waits for longer after each. */
  fail(now: number, rejectedBy: ReadonlySet<string>): void {
    this.rejectedBy = rejectedBy;
    this.queuedAt = now;
    this.retryAt = now + this.#backoff.next();
  }
}
