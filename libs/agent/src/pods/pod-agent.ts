import type { Runtime } from '@orch/container-runtime';
import {
  Backoffs,
  ContainerConfigs,
  type ContainerConfigsSettings,
  ContainerKiller,
  ImagePuller,
  type ImagePullerSettings,
  LifecycleHooks,
  PodRunner,
  ProbeManager,
  Prober,
  RuntimeObserver,
  type SandboxConfigs,
  StatusManager,
  type StatusManagerSettings,
} from '@orch/pod-containers';
import {
  type EventSink,
  fullNameOf,
  isStaticPod,
  type PodAnnotations,
  type PodSource,
  type PodVolumes,
  uidOf,
} from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { Pod, Secret } from '@orch/schema/types/core/v1';
import { DesiredPods, type PodChange } from '../sources/desired-pods.js';
import type { MirrorPods } from '../sources/mirror-pods.js';
import { PodHousekeeping } from './housekeeping.js';
import { PodAdmission, type PodAdmissionSettings } from './pod-admission.js';
import { type PodCgroups, PodSyncer } from './pod-syncer.js';
import { PodWorkers } from './pod-workers.js';
import { Relist } from './relist.js';

/** Dependencies of {@link PodAgent}. */
export interface PodAgentSettings extends Pick<PodAdmissionSettings, 'node' | 'pressureRefusal' | 'pinningRefusal'> {
  /** Runtime of the containers. */
  readonly runtime: Runtime;
  /** Scheme of the ids of containers: name of the runtime. */
  readonly runtimeName: string;
  /** Sources of pods that there are. */
  readonly sources: readonly PodSource[];
  /** Annotations by which pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Client of the API; absent without one. */
  readonly client?: NonNullable<StatusManagerSettings['client']>;
  /** Mirrors of static pods; absent without an API. */
  readonly mirrors?: Pick<MirrorPods, 'ensure' | 'delete'>;
  /** Returns the addresses of the node. */
  readonly hostIPs: () => readonly string[];
  /** Whether pods use the node's network, as the runtime has no other. */
  readonly sharesNetwork?: boolean;
  /** Makes settings of sandboxes. */
  readonly sandboxes: SandboxConfigs;
  /** Inputs of the settings of containers. */
  readonly containers: ContainerConfigsSettings;
  /** How images are pulled. */
  readonly pulls: Pick<ImagePullerSettings, 'serial' | 'qps' | 'burst'>;
  /** Returns the Secrets with credentials of registries of a pod. */
  readonly pullSecrets: (pod: Pod) => Promise<readonly Secret[]>;
  /** Removes the logs of a pod that is gone. */
  readonly removeLogs: (pod: Pod) => Promise<void>;
  /** Volumes of pods. */
  readonly volumes: PodVolumes;
  /** Cgroups of pods; absent where the runtime makes them. */
  readonly cgroups?: PodCgroups;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Interval at which a pod is looked at though nothing has changed, ms. */
  readonly syncMs: number;
  /** Ended runs that are kept of a container; negative for all. */
  readonly keptRuns: number;
  /** Clock of everything. */
  readonly clock: Clock;
  /** Log of everything. */
  readonly logger: Logger;
}

const DUPLICATE = 'Error validating pod: pods of one source have the same full name or uid';

/** Runs the pods of a node: from their sources to the runtime, and their status back. */
export class PodAgent {
  /** The pods that should run. Sources deliver theirs here. */
  readonly desired: DesiredPods;
  /** Statuses of the pods. */
  readonly statuses: StatusManager;
  /** Workers of the pods. */
  readonly workers: PodWorkers;
  /** Lists of the runtime. */
  readonly relist: Relist;
  /** Probes of the pods. */
  readonly probes: ProbeManager;
  readonly #observation: RuntimeObserver;
  readonly #housekeeping: PodHousekeeping;

  constructor(private readonly settings: PodAgentSettings) {
    const { runtime, runtimeName, clock, logger, events } = settings;
    this.#observation = new RuntimeObserver(runtime, runtimeName, this.#nodeIPs);
    this.desired = this.#makeDesired();
    this.statuses = this.#makeStatuses();
    this.probes = new ProbeManager({
      prober: new Prober(runtime, events, clock, logger),
      statusOf: (uid) => this.statuses.get(uid),
      onResult: (uid) => this.workers.wake(uid),
      clock,
    });
    const admission = new PodAdmission({ ...settings, workers: () => this.workers });
    this.workers = new PodWorkers({
      stages: this.#makeSyncer(this.probes),
      admit: (pod, others) => admission.admit(pod, others),
      isStatic: (pod) => this.#isStatic(pod),
      clock,
      logger,
    });
    const list = () => this.#observation.list();
    this.relist = new Relist({ list, onChange: (uid) => this.workers.wake(uid), clock, logger });
    this.#housekeeping = this.#makeHousekeeping();
  }

  /** Begins to work. The sources are started by others. */
  async start(): Promise<void> {
    this.statuses.start();
    this.#housekeeping.start();
    await this.relist.start();
  }

  /** Ends the work; the containers go on. */
  async stop(): Promise<void> {
    await this.relist.stop();
    await this.#housekeeping.stop();
    await this.workers.stop();
    await this.statuses.stop();
  }

  get #nodeIPs(): (() => readonly string[]) | undefined {
    return this.settings.sharesNetwork ? this.settings.hostIPs : undefined;
  }

  #isStatic(pod: Pod): boolean {
    return isStaticPod(pod, this.settings.annotations);
  }

  #makeDesired(): DesiredPods {
    const { sources, annotations, clock, events } = this.settings;
    return new DesiredPods({
      sources,
      annotations,
      clock,
      onChange: (change) => this.#changed(change),
      onDuplicate: (pod) => events.ofPod(pod, 'Warning', 'FailedValidation', DUPLICATE),
    });
  }

  #changed({ op, pod }: PodChange): void {
    const { annotations } = this.settings;
    const isMirror = pod.metadata?.annotations?.[annotations.mirror] !== undefined;
    // A mirror only shows its static pod, which looks after it.
    if (isMirror) this.#wakeMirrored(pod);
    else if (op === 'remove') this.workers.remove(uidOf(pod));
    else {
      // Where its status alone has changed, conditions of others may be those that the pod's readiness waits for.
      if (op !== 'reconcile' || pod.spec?.readinessGates?.length) this.workers.update(pod);
      // A pod that has ended long ago, and is deleted now, has only to go.
      this.statuses.reconcile(pod);
    }
  }

  #wakeMirrored(mirror: Pod): void {
    const name = fullNameOf(mirror);
    for (const { pod } of this.workers.list('syncing')) if (fullNameOf(pod) === name) this.workers.wake(uidOf(pod));
  }

  #makeStatuses(): StatusManager {
    const { client, clock, logger } = this.settings;
    return new StatusManager({
      ...(client && { client }),
      shown: (uid) => this.desired.get(uid),
      mirrorOf: (fullName) => this.desired.mirrorOf(fullName),
      isStatic: (pod) => this.#isStatic(pod),
      mayRun: (uid) => ['syncing', 'terminating'].includes(this.workers.get(uid)?.stage ?? ''),
      clock,
      logger,
    });
  }

  #makeSyncer(probes: ProbeManager): PodSyncer {
    const { runtime, mirrors, volumes, cgroups, pullSecrets, removeLogs, hostIPs } = this.settings;
    const { events, syncMs, keptRuns, clock, logger } = this.settings;
    return new PodSyncer({
      runtime,
      observe: (uid, since) => this.#observe(uid, since),
      runner: this.#makeRunner(probes),
      volumes,
      probes,
      statuses: this.statuses,
      ...(cgroups && { cgroups }),
      ...(mirrors && { mirror: (pod: Pod) => mirrors.ensure(pod, this.desired.mirrorOf(fullNameOf(pod))) }),
      pullSecrets,
      removeLogs,
      isStatic: (pod) => this.#isStatic(pod),
      hostIPs,
      events,
      everyMs: syncMs,
      keptRuns,
      clock,
      logger,
    });
  }

  #makeRunner(probes: ProbeManager): PodRunner {
    const { runtime, sandboxes, containers, pulls, events, clock, logger } = this.settings;
    const hooks = new LifecycleHooks(runtime, clock);
    return new PodRunner({
      runtime,
      sandboxes,
      configs: new ContainerConfigs(containers),
      images: new ImagePuller({ runtime, events, clock, ...pulls }),
      killer: new ContainerKiller({ runtime, hooks, events, clock, logger }),
      hooks,
      backoffs: new Backoffs(clock),
      failedProbe: (fullId) => probes.failed(fullId),
      ...(this.#nodeIPs && { nodeIPs: this.#nodeIPs }),
      events,
    });
  }

  /** Lists anew, unless the last list was begun after that time. */
  async #observe(uid: string, since: number) {
    const known = this.relist.since(since);
    const listed = known ? known.get(uid) : await this.#observation.listOne(uid);
    return listed && this.#observation.observe(listed);
  }

  #makeHousekeeping(): PodHousekeeping {
    const { volumes, mirrors, clock, logger } = this.settings;
    return new PodHousekeeping({
      hasSeenAll: () => this.desired.hasSeenAll && this.relist.ageMs !== Number.POSITIVE_INFINITY,
      listed: () => this.relist.pods,
      workers: this.workers,
      volumes,
      statuses: this.statuses,
      ...(mirrors && { removeMirrors: () => this.#removeMirrors(mirrors) }),
      clock,
      logger,
    });
  }

  /** Removes mirrors of static pods that are gone. */
  async #removeMirrors(mirrors: Pick<MirrorPods, 'delete'>): Promise<void> {
    const names = new Set([...this.desired.list()].filter((pod) => this.#isStatic(pod)).map(fullNameOf));
    for (const mirror of [...this.desired.mirrors()]) if (!names.has(fullNameOf(mirror))) await mirrors.delete(mirror);
  }
}
