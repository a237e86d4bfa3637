import { isDeepStrictEqual } from 'node:util';
import { type Client, hasReason } from '@orch/client';
import { type ApiObject, formatTime } from '@orch/machinery';
import { fullNameOf, podKeyOf, uidOf } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import { WorkQueue } from '@orch/runtime/work';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '@orch/schema/types/core/v1';
import { terminatedStatuses } from './container-statuses.js';
import { DISRUPTION_TARGET, OWN_CONDITIONS, withTransitions } from './pod-conditions.js';
import { isFinal } from './pod-phase.js';
import { statusPatch } from './status-patch.js';
import { WrittenPods } from './written-pods.js';

/** Dependencies of {@link StatusManager}. */
export interface StatusManagerSettings {
  /** Client of the API; absent without one: statuses are then kept here alone. */
  readonly client?: Pick<Client, 'get' | 'patch' | 'delete'>;
  /** Returns a pod as a watch shows it; undefined if it shows none of that uid. */
  readonly shown: (uid: string) => Pod | undefined;
  /** Returns the mirror pod of a static pod's full name; undefined if it has none. */
  readonly mirrorOf: (fullName: string) => Pod | undefined;
  /** Whether a pod comes from a file or URL. */
  readonly isStatic: (pod: Pod) => boolean;
  /** Whether containers of a pod may still run: its phase is not final before. */
  readonly mayRun: (uid: string) => boolean;
  /** Clock of times and intervals. */
  readonly clock: Clock;
  /** Logs failures. */
  readonly logger: Logger;
}

/** Requests by which statuses are reported. */
type Reports = NonNullable<StatusManagerSettings['client']>;

/** Report about a pod. */
interface Report {
  readonly status: PodStatus;
  /** Whether everything of the pod has ended and was cleaned up. */
  readonly isFinished: boolean;
}

/** A pod with its last report: the same object while there is nothing new to report. */
interface Tracked {
  readonly pod: Pod;
  readonly report: Report;
}

/** Interval at which statuses are compared with those of the API, ms. */
const RESYNC_MS = 10_000;
/** Pods whose statuses are reported at a time. */
const WORKERS = 16;
/** Characters of termination messages of all containers of a pod together. */
const MAX_MESSAGES = 12 * 1024;

/** Statuses of all pods: the only source of what is reported about them. */
export class StatusManager {
  readonly #tracked = new Map<string, Tracked>();
  /** Last reports that the API has, by uid. */
  readonly #reported = new Map<string, Report>();
  readonly #written = new WrittenPods();
  /** Uids of pods that are read before they are written, as that has failed. */
  readonly #doubtful = new Set<string>();
  readonly #queue: WorkQueue;
  #cancel: () => void = () => undefined;

  constructor(private readonly settings: StatusManagerSettings) {
    this.#queue = new WorkQueue({
      process: (uid) => this.#report(uid),
      workers: WORKERS,
      retry: { firstMs: 1_000, longestMs: RESYNC_MS },
      onError: (error, uid) =>
        settings.logger.warn('the status of a pod cannot be reported', { uid, err: String(error) }),
      clock: settings.clock,
    });
  }

  /** Begins to look from time to time for statuses that the API may not have; those of mirrors are compared. */
  start(): void {
    this.#cancel = this.settings.clock.after(RESYNC_MS, () => {
      for (const [uid, tracked] of this.#tracked)
        if (this.#reported.get(uid) !== tracked.report || this.#isMirroredWrongly(tracked)) this.#queue.add(uid);
      this.start();
    });
  }

  /** Ends the reports. Resolves when none is under way any more. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#queue.stop();
  }

  /** Returns the status of a pod; undefined before it has one. */
  get(uid: string): PodStatus | undefined {
    return this.#tracked.get(uid)?.report.status;
  }

  /** Sets the status of a pod, and reports it if it differs from the last one. */
  set(pod: Pod, status: PodStatus): void {
    this.#update(pod, status, false);
  }

  /** Notes that everything of a pod has ended: what is not known of its containers is a failure. */
  finish(pod: Pod): void {
    const status = this.get(uidOf(pod)) ?? pod.status ?? {};
    const isInitialized = (status.initContainerStatuses ?? []).every(({ state }) => state?.terminated?.exitCode === 0);
    const ended: PodStatus = {
      ...status,
      ...(isInitialized &&
        status.containerStatuses && { containerStatuses: terminatedStatuses(status.containerStatuses) }),
    };
    if (!this.settings.isStatic(pod) && !isFinal(ended.phase)) ended.phase = 'Failed';
    this.#update(pod, ended, true);
  }

  /** Reports the status of a pod again if the API has another one, or has to delete the pod. @param current as the API has it */
  reconcile(current: Pod): void {
    const uid = uidOf(current);
    const tracked = this.#tracked.get(uid);
    if (!tracked) return;
    const newest = this.#written.newest(current);
    if (!this.#isShown(newest, tracked) || this.#isToBeDeleted(newest, tracked)) this.#queue.add(uid);
  }

  /** Forgets pods that are gone. @param wanted uids of all others */
  forgetAllBut(wanted: ReadonlySet<string>): void {
    for (const all of [this.#tracked, this.#reported])
      for (const uid of all.keys()) if (!wanted.has(uid)) all.delete(uid);
    this.#written.forgetAllBut(wanted);
    for (const uid of this.#doubtful) if (!wanted.has(uid)) this.#doubtful.delete(uid);
  }

  #isMirroredWrongly(tracked: Tracked): boolean {
    if (!this.settings.isStatic(tracked.pod)) return false;
    const mirror = this.settings.mirrorOf(fullNameOf(tracked.pod));
    return mirror !== undefined && !this.#isShown(mirror, tracked);
  }

  #isShown(current: Pod, tracked: Tracked): boolean {
    return statusPatch(current.status ?? {}, this.#merged(current, tracked)) === undefined;
  }

  #update(pod: Pod, status: PodStatus, isFinished: boolean): void {
    const uid = uidOf(pod);
    const known = this.#tracked.get(uid)?.report;
    const mirror = this.settings.isStatic(pod) ? this.settings.mirrorOf(fullNameOf(pod)) : undefined;
    const before = known?.status ?? mirror?.status ?? pod.status ?? {};
    if (leavesEnd(pod, before.containerStatuses, status.containerStatuses)) {
      this.settings.logger.warn('a status was dropped in which an ended container runs again', { pod: podKeyOf(pod) });
      return;
    }
    const now = formatTime(this.settings.clock.wall());
    const completed = withinLimits(pod, {
      ...status,
      startTime: before.startTime ?? status.startTime ?? now,
      conditions: withTransitions(status.conditions ?? [], before.conditions ?? [], now),
    });
    const finished = isFinished || (known?.isFinished ?? false);
    const isKnown = known && finished === known.isFinished && isDeepStrictEqual(known.status, completed);
    this.#tracked.set(uid, { pod, report: isKnown ? known : { status: completed, isFinished: finished } });
    if (!isKnown) this.#queue.add(uid);
  }

  async #report(uid: string): Promise<void> {
    const tracked = this.#tracked.get(uid);
    const { client } = this.settings;
    if (!tracked || !client) return;
    const current = await this.#current(uid, tracked.pod, client);
    if (!current || !this.#isSame(tracked.pod, current)) return;
    // What was known of the pod may be the reason for a failure.
    this.#doubtful.add(uid);
    const updated = await unlessGone(() => this.#write(current, tracked, client));
    if (!updated) return;
    if (this.#isToBeDeleted(updated, tracked)) {
      const preconditions = { uid: uidOf(updated) };
      const { name = '' } = updated.metadata ?? {};
      await unlessGone(() => client.delete(refOf(updated), name, { gracePeriodSeconds: 0, preconditions }));
    }
    this.#doubtful.delete(uid);
    this.#reported.set(uid, tracked.report);
  }

  /** Returns the pod, or its mirror, as the API has it: read only where the watch does not show it. */
  async #current(uid: string, pod: Pod, client: Reports): Promise<Pod | undefined> {
    const { isStatic, mirrorOf, shown } = this.settings;
    const seen = isStatic(pod) ? mirrorOf(fullNameOf(pod)) : shown(uid);
    if (seen && !this.#doubtful.delete(uid)) return this.#written.newest(seen);
    return unlessGone(() => client.get<Pod & ApiObject>(refOf(pod), pod.metadata?.name ?? ''));
  }

  async #write(current: Pod, tracked: Tracked, client: Reports): Promise<Pod> {
    const status = statusPatch(current.status ?? {}, this.#merged(current, tracked));
    if (!status) return current;
    const body = { metadata: { uid: uidOf(current) }, status };
    const { name = '' } = current.metadata ?? {};
    const options = { subresource: 'status' };
    const updated = await client.patch<Pod & ApiObject>(refOf(current), name, 'strategic', body, {}, options);
    this.#written.note(current, updated);
    return updated;
  }

  /** Whether the pod of the API is the tracked one, or mirrors it. */
  #isSame(pod: Pod, current: Pod): boolean {
    if (!this.settings.isStatic(pod)) return uidOf(current) === uidOf(pod);
    return uidOf(this.settings.mirrorOf(fullNameOf(pod)) ?? {}) === uidOf(current);
  }

  /** Returns the status to be reported: conditions of others stay, and the phase is not final while containers run. */
  #merged({ status: current = {} }: Pod, { pod, report: { status } }: Tracked): PodStatus {
    const mayRun = this.settings.mayRun(uidOf(pod));
    const becomesFinal = isFinal(status.phase) && !isFinal(current.phase);
    const others = (current.conditions ?? []).filter(({ type = '' }) => !OWN_CONDITIONS.has(type));
    const own = (status.conditions ?? []).filter(({ type = '' }) => OWN_CONDITIONS.has(type));
    const disruption = (status.conditions ?? []).filter(({ type }) => type === DISRUPTION_TARGET);
    const shown = becomesFinal && !mayRun && disruption.length > 0;
    const kept = shown ? others.filter(({ type }) => type !== DISRUPTION_TARGET) : others;
    const merged: PodStatus = { ...status, conditions: [...kept, ...(shown ? disruption : []), ...own] };
    if (!becomesFinal || !mayRun) return merged;
    const { phase: _phase, reason: _reason, message: _message, ...rest } = merged;
    const { phase, reason, message } = current;
    return { ...rest, ...(phase && { phase }), ...(reason && { reason }), ...(message && { message }) };
  }

  #isToBeDeleted({ metadata, status }: Pod, { pod, report }: Tracked): boolean {
    if (metadata?.deletionTimestamp === undefined || this.settings.isStatic(pod)) return false;
    return report.isFinished && isFinal(status?.phase);
  }
}

const refOf = ({ metadata }: Pod) => ({
  group: '',
  version: 'v1',
  resource: 'pods',
  namespace: metadata?.namespace ?? '',
});

async function unlessGone<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (hasReason(error, 'NotFound', 'Conflict')) return undefined;
    throw error;
  }
}

/** Whether a container leaves its end though the restart policy does not let it. */
function leavesEnd(pod: Pod, before: readonly ContainerStatus[] = [], after: readonly ContainerStatus[] = []): boolean {
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  if (restartPolicy === 'Always') return false;
  return before.some(({ name, state }) => {
    if (!state?.terminated || (state.terminated.exitCode !== 0 && restartPolicy === 'OnFailure')) return false;
    return after.some((status) => status.name === name && !status.state?.terminated);
  });
}

/** Cuts termination messages, so that those of a pod do not become too long together. */
function withinLimits(pod: Pod, status: PodStatus): PodStatus {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const limit = Math.floor(MAX_MESSAGES / Math.max(1, initContainers.length + containers.length));
  const cut = (state: ContainerState | undefined): ContainerState | undefined =>
    state?.terminated?.message && state.terminated.message.length > limit
      ? { terminated: { ...state.terminated, message: state.terminated.message.slice(0, limit) } }
      : state;
  const cutAll = (statuses: readonly ContainerStatus[]): ContainerStatus[] =>
    statuses.map((own) => ({ ...own, state: cut(own.state) ?? {}, lastState: cut(own.lastState) ?? {} }));
  return {
    ...status,
    ...(status.containerStatuses && { containerStatuses: cutAll(status.containerStatuses) }),
    ...(status.initContainerStatuses && { initContainerStatuses: cutAll(status.initContainerStatuses) }),
  };
}
