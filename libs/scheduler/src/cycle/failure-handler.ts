import type { Clock } from '@orch/runtime';
import type { PodEventRecorder } from '../events/event-recorder.js';
import type { Candidate } from '../preemption/candidates.js';
import { Eviction } from '../preemption/eviction.js';
import type { Nominations } from '../queue/nominations.js';
import type { PendingPod } from '../queue/pending-pod.js';
import type { SchedulingQueue } from '../queue/scheduling-queue.js';
import type { Failed, Unschedulable } from './decision.js';
import { withPreemption } from './fit-message.js';
import type { SchedulerObserver } from './observer.js';
import { changedCondition } from './pod-condition.js';
import type { SchedulerApi, StatusPatch } from './scheduler-api.js';

/** Dependencies of a {@link FailureHandler}. */
interface FailureHandlerOptions {
  readonly api: SchedulerApi;
  readonly events: PodEventRecorder;
  readonly observer: SchedulerObserver;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly onError: (error: unknown, pod: string) => void;
  readonly clock: Clock;
}

const NONE: ReadonlySet<string> = new Set();

/** Tells users why a pod could not be scheduled, makes room for it where that is possible, and has it tried again. */
export class FailureHandler {
  readonly #running = new Set<Promise<void>>();
  readonly #eviction: Eviction;

  constructor(private readonly options: FailureHandlerOptions) {
    this.#eviction = new Eviction(options);
  }

  /** Resolves when everything is written. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Takes care of a failure; returns at once. @param begun when the attempt began */
  handle(pod: PendingPod, failure: Unschedulable | Failed, begun: number): void {
    const { observer, clock, queue } = this.options;
    if (!queue.isUnderWay(pod)) return;
    const result = 'error' in failure ? 'error' : 'unschedulable';
    observer.attempted(profileOf(pod), result, (clock.now() - begun) / 1_000);
    const running = ('error' in failure ? this.#failed(pod, failure) : this.#unschedulable(pod, failure)).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  async #failed(pod: PendingPod, { error }: Failed): Promise<void> {
    const { onError, nominations, queue } = this.options;
    onError(error, pod.info.key);
    nominations.delete(pod.info.uid);
    await this.#report(pod, 'SchedulerError', textOf(error), null);
    queue.retry(pod, NONE);
  }

  async #unschedulable(pod: PendingPod, failure: Unschedulable): Promise<void> {
    const { nominations, queue, onError } = this.options;
    const { candidate, keepsNomination, message, rejectedBy } = failure;
    if (candidate) nominations.set(pod.info, candidate.node);
    else if (!keepsNomination) nominations.delete(pod.info.uid);
    try {
      if (candidate) await this.#evict(pod, candidate);
    } catch (error) {
      onError(error, pod.info.key);
      if (!queue.isUnderWay(pod)) return;
      // What the API says of its nomination holds again.
      nominations.update(candidate?.node ?? '', pod.info);
      await this.#report(pod, 'Unschedulable', withPreemption(message, textOf(error)), undefined);
      queue.retry(pod, NONE);
      return;
    }
    await this.#report(pod, 'Unschedulable', message, candidate?.node ?? (keepsNomination ? undefined : null));
    queue.retry(pod, rejectedBy);
  }

  async #evict(pod: PendingPod, candidate: Candidate): Promise<void> {
    await this.#eviction.run(pod.info, candidate);
    this.options.observer.preempted(candidate.victims.length);
  }

  /** @param node that the pod is nominated for; null for none, undefined for the same as before */
  async #report(pending: PendingPod, reason: string, message: string, node: string | null | undefined): Promise<void> {
    const { api, events, queue, onError, clock } = this.options;
    if (!queue.isUnderWay(pending)) return;
    const { pod, key } = pending.info;
    const event = { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note: message } as const;
    events.record(pod, event, profileOf(pending));
    const wanted = { type: 'PodScheduled', status: 'False', reason, message };
    const condition = changedCondition(pod, wanted, clock.wall());
    const isNominated = node !== undefined && (pod.status?.nominatedNodeName ?? null) !== node;
    if (!condition && !isNominated) return;
    const patch: StatusPatch = {
      ...(condition && { conditions: [condition] }),
      ...(isNominated && { nominatedNodeName: node }),
    };
    await api.patchStatus(pending.info, patch).catch((error: unknown) => onError(error, key));
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const profileOf = ({ info }: PendingPod): string => info.pod.spec?.schedulerName ?? '';
