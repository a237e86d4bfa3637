import { isFinal } from '@orch/pod-containers';
import { fullNameOf, podKeyOf, uidOf } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import { WorkQueue } from '@orch/runtime/work';
import type { Pod, PodStatus } from '@orch/schema/types/core/v1';

/**
 * Stage of a pod's life on the node, in this order and never back. `syncing`: its containers are brought into the
 * state that it asks for. `terminating`: they are ended. `terminated`: none runs any more, and the rest is cleaned up.
 * `finished`: nothing is left to be done.
 */
type PodStage = 'syncing' | 'terminating' | 'terminated' | 'finished';

/** Status that a pod fails with by a decision of the node, whatever its containers do. */
export type PodVerdict = Pick<PodStatus, 'reason' | 'message' | 'conditions'>;

/** A pod on the node, from when it is first seen until nothing is left of it. */
export interface PodWork {
  /** The pod as it is desired, or was last; of one that only the runtime has, what its labels say. */
  readonly pod: Pod;
  /** Stage. */
  readonly stage: PodStage;
  /** Whether a source still has the pod. */
  readonly isDesired: boolean;
  /** Whether a source has it again, after it was gone: it begins anew once it has ended. */
  readonly returns?: boolean;
  /** Whether only the runtime has ever had it. */
  readonly isOrphan: boolean;
  /** Status that it fails with; undefined if its containers decide. */
  readonly verdict?: PodVerdict;
  /** Grace period instead of that of the pod, seconds. */
  readonly graceOverride?: number;
}

/** Work of the stages. Each is tried again with the usual wait when it rejects. */
export interface PodStages {
  /**
   * Brings the containers into the desired state.
   * @param signal aborts when the pod is to end: nothing is begun any more
   * @returns whether all have ended for good, and the milliseconds after which they are looked at again
   */
  sync(work: PodWork, signal: AbortSignal): Promise<{ readonly isOver: boolean; readonly againMs: number }>;
  /** Ends the containers. Resolves once none runs. */
  terminate(work: PodWork): Promise<void>;
  /** Ends the containers faster, as the grace period became shorter. */
  hasten(work: PodWork): Promise<void>;
  /** Releases what the pod had on the node. */
  cleanUp(work: PodWork): Promise<void>;
  /** Removes the last traces of a pod that no source has any more. */
  forget(work: PodWork): Promise<void>;
}

/** Dependencies of {@link PodWorkers}. */
interface PodWorkersSettings {
  /** Work of the stages. */
  readonly stages: PodStages;
  /** Returns the verdict on a pod that the node cannot run; undefined if it can. @param others pods that may run */
  readonly admit: (pod: Pod, others: readonly Pod[]) => PodVerdict | undefined;
  /** Whether a pod comes from a file or URL. */
  readonly isStatic: (pod: Pod) => boolean;
  /** Clock of waits. */
  readonly clock: Clock;
  /** Logs failures, which are tried again. */
  readonly logger: Logger;
}

/** First and longest wait after a failure, ms. */
const RETRY = { firstMs: 1_000, longestMs: 10_000 };

/** Workers of all pods: the work of one pod is serial, that of different ones is not. */
export class PodWorkers {
  readonly #works = new Map<string, PodWork>();
  /** Synchronizations under way, by uid. */
  readonly #syncs = new Map<string, AbortController>();
  readonly #queue: WorkQueue;

  constructor(private readonly settings: PodWorkersSettings) {
    const { clock, logger } = settings;
    this.#queue = new WorkQueue({
      process: (uid) => this.#process(uid),
      workers: Number.POSITIVE_INFINITY,
      retry: RETRY,
      onError: (error, uid) => {
        const pod = this.#works.get(uid)?.pod;
        logger.error('the work on a pod failed', error, { pod: pod && podKeyOf(pod), uid });
      },
      clock,
    });
  }

  /** Returns the work of a pod; undefined if there is none of that uid. */
  get(uid: string): PodWork | undefined {
    return this.#works.get(uid);
  }

  /** Number of pods that are worked on now. */
  get busy(): number {
    return this.#queue.unfinished.length;
  }

  /** Returns all pods of a stage, or of any. */
  *list(...stages: readonly PodStage[]): Generator<PodWork> {
    for (const work of this.#works.values()) if (stages.length === 0 || stages.includes(work.stage)) yield work;
  }

  /** Takes over a pod of a source, or its new state. */
  update(pod: Pod): void {
    const uid = uidOf(pod);
    const known = this.#works.get(uid);
    const returns = known && !known.isDesired ? { returns: true } : {};
    const work: PodWork = known ? { ...known, pod, isDesired: true, ...returns } : this.#admitted(pod);
    this.#works.set(uid, work);
    if (pod.metadata?.deletionTimestamp !== undefined || isFinal(pod.status?.phase)) this.#terminate(uid, {});
    if (known?.stage === 'terminating' && graceOf(pod) < graceOf(known.pod)) this.#hasten(work);
    this.#queue.add(uid);
  }

  /** Notes that no source has a pod any more: it is ended. */
  remove(uid: string): void {
    const work = this.#works.get(uid);
    if (!work) return;
    this.#works.set(uid, { ...work, isDesired: false });
    this.#terminate(uid, {});
    this.#queue.add(uid);
  }

  /** Ends a pod that only the runtime has. */
  addOrphan(pod: Pod): void {
    const uid = uidOf(pod);
    if (this.#works.has(uid)) return;
    this.#works.set(uid, { pod, stage: 'terminating', isDesired: false, isOrphan: true });
    this.#queue.add(uid);
  }

  /** Ends a pod by a decision of the node. */
  evict(uid: string, verdict: PodVerdict, graceOverride?: number): void {
    this.#terminate(uid, { verdict, ...(graceOverride !== undefined && { graceOverride }) });
    this.#queue.add(uid);
  }

  /** Has a pod looked at again, as something about its containers has changed. */
  wake(uid: string): void {
    if (this.#works.has(uid)) this.#queue.add(uid);
  }

  /** Ends all work; containers go on. Resolves when none is under way any more. */
  stop(): Promise<void> {
    for (const abort of this.#syncs.values()) abort.abort();
    return this.#queue.stop();
  }

  /** A pod that comes with a deletion or an end is not admitted: it only has to be cleaned up. */
  #admitted(pod: Pod): PodWork {
    const work: PodWork = { pod, stage: 'syncing', isDesired: true, isOrphan: false };
    if (pod.metadata?.deletionTimestamp !== undefined || isFinal(pod.status?.phase)) return work;
    const others = [...this.list('syncing', 'terminating')].filter(({ isOrphan, verdict }) => !isOrphan && !verdict);
    const verdict = this.settings.admit(
      pod,
      others.map((other) => other.pod),
    );
    return verdict ? { ...work, verdict, stage: 'terminating' } : work;
  }

  #terminate(uid: string, more: Partial<PodWork>): void {
    const work = this.#works.get(uid);
    if (work?.stage !== 'syncing') return;
    this.#works.set(uid, { ...work, ...more, stage: 'terminating' });
    this.#syncs.get(uid)?.abort();
  }

  #hasten(work: PodWork): void {
    this.settings.stages.hasten(work).catch((error: unknown) => {
      this.settings.logger.warn('a pod cannot be ended sooner', { pod: podKeyOf(work.pod), err: String(error) });
    });
  }

  async #process(uid: string): Promise<void> {
    const work = this.#works.get(uid);
    if (!work) return;
    switch (work.stage) {
      case 'syncing':
        return this.#sync(uid, work);
      case 'terminating':
        await this.settings.stages.terminate(work);
        return this.#advance(uid, 'terminated');
      case 'terminated':
        await this.settings.stages.cleanUp(work);
        this.#wakeNamesakes(work.pod);
        return this.#advance(uid, 'finished');
      case 'finished':
        if (!work.isDesired) await this.#forget(uid, work);
        else if (work.returns) this.#begin(uid, work.pod);
    }
  }

  async #sync(uid: string, work: PodWork): Promise<void> {
    // The pod of before has to end first; its end wakes this one.
    if (this.settings.isStatic(work.pod) && this.#hasNamesake(work.pod)) return;
    const abort = new AbortController();
    this.#syncs.set(uid, abort);
    try {
      const { isOver, againMs } = await this.settings.stages.sync(work, abort.signal);
      if (isOver) this.#terminate(uid, {});
      else if (!abort.signal.aborted) this.#queue.addAfter(uid, againMs);
    } catch (error) {
      // It was interrupted, and what is to be done now is something else.
      if (!abort.signal.aborted) throw error;
    } finally {
      this.#syncs.delete(uid);
    }
    if (this.#works.get(uid)?.stage !== 'syncing') this.#queue.add(uid);
  }

  #advance(uid: string, stage: PodStage): void {
    const work = this.#works.get(uid);
    if (work) this.#works.set(uid, { ...work, stage });
    this.#queue.add(uid);
  }

  async #forget(uid: string, work: PodWork): Promise<void> {
    await this.settings.stages.forget(work);
    // A source may have it again.
    if (!this.#works.get(uid)?.isDesired) this.#works.delete(uid);
  }

  #begin(uid: string, pod: Pod): void {
    this.#works.delete(uid);
    this.#works.set(uid, this.#admitted(pod));
    this.#queue.add(uid);
  }

  /** Whether an earlier pod of the same full name has not ended yet. */
  #hasNamesake(pod: Pod): boolean {
    const name = fullNameOf(pod);
    for (const [uid, { pod: other, stage }] of this.#works) {
      if (uid === uidOf(pod)) return false;
      if (stage !== 'finished' && fullNameOf(other) === name) return true;
    }
    return false;
  }

  #wakeNamesakes(pod: Pod): void {
    for (const [uid, { pod: other }] of this.#works)
      if (uid !== uidOf(pod) && fullNameOf(other) === fullNameOf(pod)) this.#queue.addAfter(uid, 1);
  }
}

const graceOf = ({ metadata, spec }: Pod): number =>
  Number(metadata?.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 0);
