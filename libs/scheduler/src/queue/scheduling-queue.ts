import { type Clock, systemClock } from '@orch/runtime';
import type { BackoffSettings } from '@orch/runtime/work';
import {
  ACTION,
  type ClusterEvent,
  INTER_POD_AFFINITY,
  type PodInfo,
  type QueuedPod,
  termMeans,
} from '@orch/scheduler-plugins';
import { Heap } from './heap.js';
import { PendingPod } from './pending-pod.js';
import { specChanged } from './spec-changed.js';

/** Dependencies and times of a {@link SchedulingQueue}. */
interface SchedulingQueueOptions {
  /** Order of the pods that are ready. */
  readonly compare: (a: QueuedPod, b: QueuedPod) => number;
  /** Returns the plugin that keeps a pod out of the queue; undefined for none. */
  readonly gatedBy: (pod: PodInfo) => string | undefined;
  /** Whether a change can make a pod schedulable that a plugin has rejected. */
  readonly helps: (plugin: string, event: ClusterEvent) => boolean;
  /** Returns the labels of a namespace. */
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>>;
  /** Called when a pod has become ready while there was none. */
  readonly onReady: () => void;
  /** First and longest wait after a failed attempt, milliseconds. */
  readonly backoff: BackoffSettings;
  /** Milliseconds after which a pod is tried again though nothing has changed. */
  readonly flushMs: number;
  /** Counts a pod that enters a part of the queue. */
  readonly onEntered?: (queue: QueueName, event: string) => void;
  readonly clock?: Clock;
}

/** Parts of the queue, as metrics call them. */
export type QueueName = 'active' | 'backoff' | 'unschedulable' | 'gated';

/** A change that moves pods, with its name in metrics. */
export interface NamedEvent extends ClusterEvent {
  /** Name in metrics. */
  readonly label: string;
}

/** The pod itself has changed: it is tried again whatever has rejected it. */
const ANY_CHANGE: ClusterEvent = { resource: '*', actions: ACTION.all };
/** Milliseconds between looks for pods that have waited for too long. */
const FLUSH_INTERVAL_MS = 30_000;

/**
 * Pods that wait to be scheduled: those that are ready, by priority; those that wait after a failed attempt; those that
 * wait for a change of the cluster; and those that are gated.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #active: Heap<PendingPod>;
  readonly #backoff: Heap<PendingPod>;
  /** Pods that wait for a change, and the gated ones. */
  readonly #waiting = new Map<string, PendingPod>();
  /** Attempts under way, up to the end of binding, by the pod's uid. */
  readonly #attempts = new Map<string, PendingPod>();
  #cancelBackoff = (): void => undefined;
  #cancelFlush: (() => void) | undefined;

  constructor(private readonly options: SchedulingQueueOptions) {
    this.#clock = options.clock ?? systemClock;
    const idOf = ({ info }: PendingPod) => info.uid;
    this.#active = new Heap(idOf, options.compare);
    this.#backoff = new Heap(idOf, (a, b) => a.retryAt - b.retryAt);
  }

  /** Number of pods in each part. */
  get sizes(): Readonly<Record<QueueName, number>> {
    let gated = 0;
    for (const { isGated } of this.#waiting.values()) if (isGated) gated++;
    return {
      active: this.#active.size,
      backoff: this.#backoff.size,
      unschedulable: this.#waiting.size - gated,
      gated,
    };
  }

  /** Whether a pod is ready to be scheduled. */
  get hasReady(): boolean {
    return this.#active.size > 0;
  }

  /** Whether an attempt is under way. */
  get hasAttempts(): boolean {
    return this.#attempts.size > 0;
  }

  /** Pods that wait for a change, by the plugins that rejected them. */
  get rejected(): Iterable<PendingPod> {
    return this.#waiting.values();
  }

  /** Adds a pod, or follows a new state of it: one that could have made it schedulable takes it up again. */
  set(info: PodInfo): void {
    const attempt = this.#attempts.get(info.uid);
    if (attempt) follow(attempt, info);
    else this.#set(info);
  }

  /** Removes a pod, if it is there; an attempt under way is not followed by another. */
  delete(uid: string): void {
    this.#attempts.delete(uid);
    this.#active.delete(uid);
    this.#backoff.delete(uid);
    this.#waiting.delete(uid);
  }

  /** Removes the first pod that is ready, and begins an attempt; undefined where none is ready. */
  pop(): PendingPod | undefined {
    const pod = this.#active.pop();
    if (!pod) return undefined;
    pod.begin();
    this.#attempts.set(pod.info.uid, pod);
    return pod;
  }

  /** Whether an attempt has not ended, and its pod is still to be scheduled. */
  isUnderWay(pod: PendingPod): boolean {
    return this.#attempts.get(pod.info.uid) === pod;
  }

  /** Whether an attempt to schedule a pod has not ended. */
  isTrying(uid: string): boolean {
    return this.#attempts.has(uid);
  }

  /** Ends an attempt that needs no other. */
  done(pod: PendingPod): void {
    if (this.isUnderWay(pod)) this.#attempts.delete(pod.info.uid);
  }

  /**
   * Ends an attempt that has failed. A pod that plugins have rejected waits for a change that could help it; if there
   * was one since the attempt began, or after an error, it waits for its backoff alone.
   */
  retry(pod: PendingPod, rejectedBy: ReadonlySet<string>): void {
    if (!this.isUnderWay(pod)) return;
    this.done(pod);
    pod.fail(this.#clock.now(), rejectedBy);
    const isHelped = pod.changes.some((event) => this.#isHelped(pod, event));
    if (rejectedBy.size === 0 || isHelped) this.#startBackoff(pod, 'ScheduleAttemptFailure');
    else this.#wait(pod, 'unschedulable', 'ScheduleAttemptFailure');
  }

  /**
   * Takes up pods again that a change could make schedulable. @param refusedBy returns the plugin by which it does not
   * help a pod nevertheless: the pod waits for that one's changes too, as if it had been tried
   */
  move(event: NamedEvent, refusedBy: (pod: PodInfo) => string | undefined = () => undefined): void {
    this.#move(event, (pod) => {
      const plugin = refusedBy(pod.info);
      if (plugin !== undefined) pod.rejectedBy = new Set([...pod.rejectedBy, plugin]);
      return plugin === undefined;
    });
  }

  /**
   * Takes up pods again that a pod can help which has come to a node: their required affinity means it, or another
   * plugin, as that of spread, compares them with the pods of their namespace.
   */
  moveForPlaced({ namespace, labels }: PodInfo, event: NamedEvent): void {
    const namespaceLabels = this.options.namespaceLabels(namespace);
    this.#move(event, ({ info: pod, rejectedBy }) => {
      if (pod.affinity.required.some((term) => termMeans(term, namespace, namespaceLabels, labels))) return true;
      if (pod.namespace !== namespace) return false;
      return [...rejectedBy].some((plugin) => plugin !== INTER_POD_AFFINITY && this.options.helps(plugin, event));
    });
  }

  /** Ends all timers. */
  stop(): void {
    this.#cancelBackoff();
    this.#cancelFlush?.();
  }

  #set(info: PodInfo): void {
    const queued = this.#active.get(info.uid) ?? this.#backoff.get(info.uid);
    const waiting = this.#waiting.get(info.uid);
    if (queued) {
      queued.info = info;
      (this.#active.get(info.uid) ? this.#active : this.#backoff).set(queued);
    } else if (waiting) {
      const isChanged = specChanged(waiting.info.pod, info.pod);
      waiting.info = info;
      if (isChanged) this.#takeUp(waiting, 'PodUpdate');
    } else this.#ready(new PendingPod(info, this.#clock.now(), this.options.backoff), 'PodAdd');
  }

  #move(event: NamedEvent, isMeant: (pod: PendingPod) => boolean): void {
    for (const attempt of this.#attempts.values()) attempt.note(event);
    for (const pod of [...this.#waiting.values()])
      if (!pod.isGated && this.#isHelped(pod, event) && isMeant(pod)) this.#takeUp(pod, event.label);
  }

  #isHelped({ rejectedBy }: PendingPod, event: ClusterEvent): boolean {
    if (rejectedBy.size === 0 || event.resource === ANY_CHANGE.resource) return true;
    for (const plugin of rejectedBy) if (this.options.helps(plugin, event)) return true;
    return false;
  }

  #takeUp(pod: PendingPod, event: string): void {
    this.#waiting.delete(pod.info.uid);
    if (!pod.isGated && pod.retryAt > this.#clock.now()) this.#startBackoff(pod, event);
    else this.#ready(pod, event);
  }

  #ready(pod: PendingPod, event: string): void {
    const gate = this.options.gatedBy(pod.info);
    pod.isGated = gate !== undefined;
    if (gate !== undefined) {
      pod.rejectedBy = new Set([gate]);
      this.#wait(pod, 'gated', event);
      return;
    }
    pod.firstReadyAt ??= this.#clock.now();
    this.#active.set(pod);
    this.options.onEntered?.('active', event);
    if (this.#active.size === 1) this.options.onReady();
  }

  #wait(pod: PendingPod, queue: QueueName, event: string): void {
    this.#waiting.set(pod.info.uid, pod);
    this.options.onEntered?.(queue, event);
    this.#cancelFlush ??= this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }

  #startBackoff(pod: PendingPod, event: string): void {
    this.#backoff.set(pod);
    this.options.onEntered?.('backoff', event);
    this.#awaitBackoff();
  }

  #awaitBackoff(): void {
    this.#cancelBackoff();
    const { first } = this.#backoff;
    if (!first) return;
    const ms = Math.max(0, first.retryAt - this.#clock.now());
    this.#cancelBackoff = this.#clock.after(ms, () => this.#endBackoffs());
  }

  #endBackoffs(): void {
    const now = this.#clock.now();
    for (let { first } = this.#backoff; first && first.retryAt <= now; first = this.#backoff.first) {
      this.#backoff.delete(first.info.uid);
      this.#ready(first, 'BackoffComplete');
    }
    this.#awaitBackoff();
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const latest = this.#clock.now() - this.options.flushMs;
    for (const pod of [...this.#waiting.values()])
      if (!pod.isGated && pod.queuedAt < latest) this.#takeUp(pod, 'UnschedulableTimeout');
    if (this.#waiting.size > 0) this.#cancelFlush ??= this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }
}

/** Follows a new state of a pod while it is being scheduled. */
function follow(attempt: PendingPod, info: PodInfo): void {
  if (specChanged(attempt.info.pod, info.pod)) attempt.note(ANY_CHANGE);
  attempt.info = info;
}
