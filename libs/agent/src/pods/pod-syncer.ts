import type { Runtime } from '@orch/container-runtime';
import { parseTime } from '@orch/machinery';
import {
  deadRuns,
  hasRunning,
  isFinal,
  nothingOf,
  type ObservedPod,
  type PodRunner,
  type ProbeManager,
  podStatusOf,
  type StartError,
  type StatusManager,
  type WaitingReason,
} from '@orch/pod-containers';
import { type EventSink, type PodVolumes, podKeyOf, uidOf, VolumesError } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { ContainerStatus, Pod, PodStatus, Secret } from '@orch/schema/types/core/v1';
import type { PodStages, PodWork } from './pod-workers.js';

/** Cgroups of pods. */
export interface PodCgroups {
  /** Makes the cgroup of a pod, or brings its values up to date. */
  ensure(pod: Pod): Promise<void>;
  /** Removes the cgroup of a pod, in which nothing runs any more. */
  remove(pod: Pod): Promise<void>;
}

/** Dependencies of {@link PodSyncer}. */
interface PodSyncerSettings {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'removeContainer' | 'removeSandbox' | 'conditions'>;
  /** Returns a pod as the runtime has had it after a time; that time is now if it is infinite. */
  readonly observe: (uid: string, since: number) => Promise<ObservedPod | undefined>;
  /** Starts and stops containers. */
  readonly runner: Pick<PodRunner, 'run' | 'stop'>;
  /** Volumes of pods. */
  readonly volumes: Pick<PodVolumes, 'setUp' | 'tearDown' | 'remove'>;
  /** Probes of pods. */
  readonly probes: ProbeManager;
  /** Statuses of pods. */
  readonly statuses: StatusManager;
  /** Cgroups of pods; absent where the runtime makes them. */
  readonly cgroups?: PodCgroups;
  /** Brings the mirror of a static pod into being; absent without an API. */
  readonly mirror?: (pod: Pod) => Promise<void>;
  /** Returns the Secrets with credentials of registries of a pod. */
  readonly pullSecrets: (pod: Pod) => Promise<readonly Secret[]>;
  /** Removes the logs of a pod that is gone. */
  readonly removeLogs: (pod: Pod) => Promise<void>;
  /** Whether a pod comes from a file or URL. */
  readonly isStatic: (pod: Pod) => boolean;
  /** Returns the addresses of the node. */
  readonly hostIPs: () => readonly string[];
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Interval at which a pod is looked at though nothing has changed, ms. */
  readonly everyMs: number;
  /** Ended runs that are kept of a container; negative for all. */
  readonly keptRuns: number;
  /** Clock of deadlines. */
  readonly clock: Clock;
  /** Logs failures that do no harm. */
  readonly logger: Logger;
}

/** Wait after a container could not be started, ms. */
const START_AGAIN_MS = 10_000;
/** Time for which the network counts as ready once the runtime has said so, ms: pods of a node are looked at together. */
const NETWORK_MS = 5_000;
const DEADLINE = 'Pod was active on the node longer than the specified deadline';

/** Work on pods in each stage of their life. */
export class PodSyncer implements PodStages {
  /** Reasons for which containers wait, by uid and name. */
  readonly #waiting = new Map<string, Map<string, WaitingReason>>();
  /** Times at which work on pods has ended, by uid: what is decided by must not be older than what was done. */
  readonly #workedAt = new Map<string, number>();
  #networkReadyAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly settings: PodSyncerSettings) {}

  async sync(work: PodWork, signal: AbortSignal): Promise<{ isOver: boolean; againMs: number }> {
    return this.#noting(work, () => this.#sync(work, signal));
  }

  async #sync({ pod }: PodWork, signal: AbortSignal): Promise<{ isOver: boolean; againMs: number }> {
    const { statuses, probes, everyMs } = this.settings;
    const observed = await this.#observedBefore(pod);
    const status = this.#withDeadline(pod, this.#status(pod, observed, false));
    statuses.set(pod, status);
    if (isFinal(status.phase)) return { isOver: true, againMs: 0 };
    probes.checkSoon(uidOf(pod), status.containerStatuses ?? []);
    await this.#ensureMirror(pod);
    await this.#checkNetwork(pod);
    await this.settings.cgroups?.ensure(pod);
    const volumes = await this.#volumes(pod);
    probes.add(pod);
    const secrets = await this.settings.pullSecrets(pod);
    const { failures, started, failure } = await this.settings.runner.run(pod, { observed, volumes, secrets, signal });
    this.#note(pod, failures, started);
    if (failures.size > 0 || started.length > 0) statuses.set(pod, this.#status(pod, await this.#observed(pod), false));
    if (failure !== undefined) throw failure;
    await this.#prune(observed);
    const waits = [...failures.values()].map(({ retryMs = START_AGAIN_MS }) => retryMs);
    return { isOver: false, againMs: Math.min(everyMs, this.#untilDeadline(pod), ...waits) };
  }

  async terminate(work: PodWork): Promise<void> {
    return this.#noting(work, () => this.#terminate(work));
  }

  async #terminate({ pod, verdict, graceOverride, isOrphan }: PodWork): Promise<void> {
    const { statuses, probes, runner } = this.settings;
    const uid = uidOf(pod);
    const observed = await this.#observedBefore(pod);
    if (!isOrphan) statuses.set(pod, withVerdict(this.#status(pod, observed, false), verdict));
    probes.stopKilling(uid);
    await runner.stop(pod, observed, graceOverride);
    probes.remove(uid);
    const left = await this.#observed(pod);
    if (hasRunning(left)) throw new Error('containers of the pod still run after they were stopped');
    if (!isOrphan) statuses.set(pod, withVerdict(this.#status(pod, left, true), verdict));
  }

  async hasten({ pod, graceOverride }: PodWork): Promise<void> {
    await this.settings.runner.stop(pod, await this.#observed(pod), graceOverride);
  }

  async cleanUp({ pod, isOrphan }: PodWork): Promise<void> {
    await this.settings.volumes.tearDown(uidOf(pod));
    await this.settings.cgroups?.remove(pod);
    if (!isOrphan) this.settings.statuses.finish(pod);
    this.#waiting.delete(uidOf(pod));
  }

  async forget({ pod }: PodWork): Promise<void> {
    const { runtime, volumes, removeLogs } = this.settings;
    const observed = await this.#observed(pod);
    for (const { id } of observed.containers) await runtime.removeContainer(id);
    await volumes.remove(uidOf(pod));
    await removeLogs(pod);
    // Last, as an agent that is started in between knows by it that something of the pod is left.
    for (const { id } of observed.sandboxes) await runtime.removeSandbox(id);
    this.#workedAt.delete(uidOf(pod));
  }

  async #noting<T>({ pod }: PodWork, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#workedAt.set(uidOf(pod), this.settings.clock.now());
    }
  }

  /** Returns a pod as it was when work on it began, which may be known already. */
  #observedBefore(pod: Pod): Promise<ObservedPod> {
    return this.#observed(pod, this.#workedAt.get(uidOf(pod)));
  }

  /** @param since time after which the runtime is asked for what it has; by default now */
  async #observed(pod: Pod, since = Number.POSITIVE_INFINITY): Promise<ObservedPod> {
    const { name = '', namespace = '' } = pod.metadata ?? {};
    return (await this.settings.observe(uidOf(pod), since)) ?? nothingOf(uidOf(pod), name, namespace);
  }

  #status(pod: Pod, observed: ObservedPod, isEnding: boolean): PodStatus {
    const { statuses, probes, hostIPs, isStatic } = this.settings;
    const uid = uidOf(pod);
    return podStatusOf({
      pod,
      observed,
      previous: statuses.get(uid),
      waiting: (name) => this.#waiting.get(uid)?.get(name),
      probed: (status: ContainerStatus) => probes.completed(uid, status),
      isEnding,
      isStatic: isStatic(pod),
      hostIPs: hostIPs(),
    });
  }

  /** A pod that has been active for too long fails. */
  #withDeadline(pod: Pod, status: PodStatus): PodStatus {
    if (isFinal(status.phase) || this.#untilDeadline(pod) > 0) return status;
    return { ...status, phase: 'Failed', reason: 'DeadlineExceeded', message: DEADLINE };
  }

  #untilDeadline(pod: Pod): number {
    const { activeDeadlineSeconds } = pod.spec ?? {};
    const startTime = this.settings.statuses.get(uidOf(pod))?.startTime ?? pod.status?.startTime;
    if (activeDeadlineSeconds === undefined || startTime === undefined) return Number.POSITIVE_INFINITY;
    return parseTime(startTime) + Number(activeDeadlineSeconds) * 1000 - this.settings.clock.wall();
  }

  /** The static pod runs whether it is shown or not. */
  async #ensureMirror(pod: Pod): Promise<void> {
    if (!this.settings.isStatic(pod)) return;
    try {
      await this.settings.mirror?.(pod);
    } catch (error) {
      this.settings.logger.warn('the mirror of a static pod cannot be made', {
        pod: podKeyOf(pod),
        err: String(error),
      });
    }
  }

  async #checkNetwork(pod: Pod): Promise<void> {
    const { runtime, clock } = this.settings;
    if (pod.spec?.hostNetwork || clock.now() - this.#networkReadyAt < NETWORK_MS) return;
    const conditions = await runtime.conditions();
    const network = conditions.find(({ type }) => type === 'NetworkReady');
    if (!network || network.status) {
      this.#networkReadyAt = clock.now();
      return;
    }
    const message = `network is not ready: container runtime network not ready: NetworkReady=false reason:${network.reason} message:${network.message}`;
    this.settings.events.ofPod(pod, 'Warning', 'NetworkNotReady', message);
    throw new Error(message);
  }

  async #volumes(pod: Pod) {
    try {
      return await this.settings.volumes.setUp(pod);
    } catch (error) {
      if (error instanceof VolumesError)
        for (const message of error.failures.values())
          this.settings.events.ofPod(pod, 'Warning', 'FailedMount', message);
      throw error;
    }
  }

  #note(pod: Pod, failures: ReadonlyMap<string, StartError>, started: readonly string[]): void {
    const reasons = this.#waiting.get(uidOf(pod)) ?? new Map<string, WaitingReason>();
    for (const [name, { reason, message }] of failures) reasons.set(name, { reason, message });
    for (const name of started) reasons.delete(name);
    this.#waiting.set(uidOf(pod), reasons);
  }

  /** Removes runs of containers that have ended long ago. */
  async #prune(observed: ObservedPod): Promise<void> {
    for (const { id } of deadRuns(observed, this.settings.keptRuns)) await this.settings.runtime.removeContainer(id);
  }
}

function withVerdict(status: PodStatus, verdict: PodWork['verdict']): PodStatus {
  if (!verdict) return status;
  const { conditions = [], ...reasons } = verdict;
  const types = new Set(conditions.map(({ type }) => type));
  const others = (status.conditions ?? []).filter(({ type }) => !types.has(type));
  return { ...status, ...reasons, phase: 'Failed', conditions: [...conditions, ...others] };
}
