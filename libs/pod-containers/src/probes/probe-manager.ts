import { uidOf } from '@orch/pod-environment';
import type { Clock } from '@orch/runtime';
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from '@orch/schema/types/core/v1';
import { ProbeResults } from './probe-results.js';
import { ProbeWorker } from './probe-worker.js';
import type { Prober, ProbeType } from './prober.js';

/** Dependencies of {@link ProbeManager}. */
interface ProbeManagerSettings {
  /** Carries out checks. */
  readonly prober: Pick<Prober, 'probe'>;
  /** Returns the status of a pod by its uid; undefined before it has one. */
  readonly statusOf: (uid: string) => PodStatus | undefined;
  /** Called with the uid of a pod when the result of one of its probes has changed. */
  readonly onResult: (uid: string) => void;
  /** Clock of all probes. */
  readonly clock: Clock;
  /** Draws numbers in [0, 1): probes begin at different times after a start of the agent. Default `Math.random`. */
  readonly random?: () => number;
}

/** Number of checks of a container with one result (`prober_probe_total`). */
export interface CountedChecks {
  /** Kind of the probe: `Liveness`, `Readiness`, `Startup`. */
  readonly type: string;
  /** `successful` or `failed`. */
  readonly result: string;
  /** Name of the container. */
  readonly container: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its uid. */
  readonly uid: string;
  /** How often. */
  readonly count: number;
}

interface ProbedPod {
  /** The pod as it is desired now. */
  pod: Pod;
  readonly workers: Map<string, ProbeWorker>;
}

const PROBES: readonly (readonly [ProbeType, (container: Container) => Probe | undefined])[] = [
  ['Startup', ({ startupProbe }) => startupProbe],
  ['Readiness', ({ readinessProbe }) => readinessProbe],
  ['Liveness', ({ livenessProbe }) => livenessProbe],
];

/** Probes of all pods, and what follows from their results. */
export class ProbeManager {
  readonly #pods = new Map<string, ProbedPod>();
  readonly #startedAt: number;
  readonly #results: Readonly<Record<ProbeType, ProbeResults>>;

  constructor(private readonly settings: ProbeManagerSettings) {
    this.#startedAt = settings.clock.now();
    const results = () => new ProbeResults((uid) => settings.onResult(uid));
    this.#results = { Startup: results(), Readiness: results(), Liveness: results() };
  }

  /** Begins to probe the containers of a pod, or goes on with the pod as it is now. */
  add(pod: Pod): void {
    const uid = uidOf(pod);
    const known = this.#pods.get(uid) ?? { pod, workers: new Map<string, ProbeWorker>() };
    known.pod = pod;
    this.#pods.set(uid, known);
    for (const container of pod.spec?.containers ?? [])
      for (const [type, probeOf] of PROBES) {
        const probe = probeOf(container);
        const key = `${type} ${container.name ?? ''}`;
        if (probe && !known.workers.has(key)) known.workers.set(key, this.#worker(known, container, type, probe));
      }
  }

  /** Ends the probes that would kill containers of a pod, which is ending. */
  stopKilling(uid: string): void {
    for (const [key, worker] of this.#pods.get(uid)?.workers ?? []) if (!key.startsWith('Readiness ')) worker.stop();
  }

  /** Ends the probes of a pod. */
  remove(uid: string): void {
    for (const worker of this.#pods.get(uid)?.workers.values() ?? []) worker.stop();
    this.#pods.delete(uid);
  }

  /** Returns the type of the probe by which a container has to be killed; undefined if none has failed. */
  failed(containerId: string): 'Liveness' | 'Startup' | undefined {
    if (this.#results.Liveness.get(containerId) === 'failure') return 'Liveness';
    return this.#results.Startup.get(containerId) === 'failure' ? 'Startup' : undefined;
  }

  /** Returns the status of a container with `started` and `ready` as its probes say. */
  completed(uid: string, status: ContainerStatus): ContainerStatus {
    const { state, name = '', containerID = '' } = status;
    if (!state?.running) return { ...status, started: false, ready: false };
    const workers = this.#pods.get(uid)?.workers;
    const hasProbe = (type: ProbeType) => workers?.has(`${type} ${name}`) ?? false;
    const startup = this.#results.Startup.get(containerID);
    const started = startup === undefined ? !hasProbe('Startup') : startup === 'success';
    if (!started) return { ...status, started, ready: false };
    const readiness = this.#results.Readiness.get(containerID);
    return { ...status, started, ready: readiness === undefined ? !hasProbe('Readiness') : readiness === 'success' };
  }

  /** Returns how often containers were checked, of the pods that there are. */
  *counts(): Generator<CountedChecks> {
    for (const { pod, workers } of this.#pods.values()) {
      const { name = '', namespace = '' } = pod.metadata ?? {};
      for (const [key, worker] of workers) {
        const [type = '', container = ''] = key.split(' ');
        for (const [result, count] of Object.entries(worker.counts))
          if (count > 0) yield { type, result, container, pod: name, namespace, uid: uidOf(pod), count };
      }
    }
  }

  /** Checks at once whether containers are ready that run and are not: others wait for them. */
  checkSoon(uid: string, statuses: readonly ContainerStatus[]): void {
    const workers = this.#pods.get(uid)?.workers;
    for (const { name = '', started, ready } of statuses)
      if (started && !ready) workers?.get(`Readiness ${name}`)?.trigger();
  }

  #worker(probed: ProbedPod, container: Container, type: ProbeType, probe: Probe): ProbeWorker {
    const { prober, statusOf, clock, random = Math.random } = this.settings;
    const uid = uidOf(probed.pod);
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    // All pods of an agent that starts are added at once.
    const isEarly = clock.now() - this.#startedAt < periodMs;
    return new ProbeWorker({
      type,
      probe,
      container,
      pod: () => probed.pod,
      status: () => statusOf(uid),
      prober,
      results: this.#results[type],
      delayMs: isEarly ? random() * periodMs : 0,
      clock,
    });
  }
}
