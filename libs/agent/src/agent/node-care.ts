import {
  ContainerCollector,
  EvictionManager,
  ImageCollector,
  IptablesChains,
  LogLinks,
  LogRotator,
  OomWatcher,
  type PressureRefusal,
  type PressureType,
  pressureRefusal,
  thresholdsOf,
  UsageMeter,
} from '@orch/node-resources';
import {
  type EventSink,
  type PodAnnotations,
  PodFolders,
  parseEvictionAmounts,
  parseEvictionPeriods,
  parseThresholds,
  uidOf,
} from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';
import type { PodAgent } from '../pods/pod-agent.js';
import type { NodeAgentSettings } from './agent-settings.js';
import type { ThisNode } from './this-node.js';

/** Dependencies of {@link NodeCare}. */
interface NodeCareSettings
  extends Pick<NodeAgentSettings, 'options' | 'runtime' | 'podLogs' | 'cgroupMount' | 'clock' | 'logger'> {
  /** The node. */
  readonly node: ThisNode;
  /** Returns the pods, once they are made. */
  readonly pods: () => PodAgent;
  /** Annotations by which static pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Receives what is to be reported. */
  readonly events: EventSink;
}

/** Logs at a place of their own have no links in the folder of all, unless that is asked for. */
const linksOf = (wanted: string | undefined, podLogs: string): string =>
  wanted ?? (podLogs === '/var/log/pods' ? '/var/log/containers' : '');

/** The care for the resources of the node: eviction, removal of what is not needed, logs, rules of the host. */
export class NodeCare {
  /** Measures what the node and its pods use. */
  readonly meter: UsageMeter;
  readonly #eviction: EvictionManager;
  readonly #parts: readonly { start(): void; stop(): Promise<void> }[];

  constructor(private readonly settings: NodeCareSettings) {
    const { options, runtime, podLogs = options.podLogsDir, cgroupMount, clock, logger } = settings;
    const folders = new PodFolders(options.rootDir);
    this.meter = new UsageMeter({ runtime, folders, podLogs, clock, ...(cgroupMount && { cgroupMount }) });
    const images = this.#makeImages();
    const containers = this.#makeContainers(podLogs);
    this.#eviction = this.#makeEviction(images, containers);
    const { containerLogMaxSize: maxBytes, containerLogMaxFiles: maxFiles } = options;
    const { iptablesDropBit: dropBit, iptablesMasqueradeBit: masqueradeBit } = options;
    const links = linksOf(options.containerLogLinks, podLogs);
    this.#parts = [
      this.#eviction,
      images,
      containers,
      new LogRotator({ runtime, maxBytes, maxFiles, clock, logger }),
      new OomWatcher({ events: settings.events, clock, logger }),
      ...(links === '' ? [] : [new LogLinks({ folder: links, podLogs, runtime, clock, logger })]),
      // Pods in the network of the machine need no rules, and a machine that is no node of a network keeps its own.
      ...(options.makeIptablesUtilChains && !options.containerRuntimeEndpoint.startsWith('process:')
        ? [new IptablesChains({ dropBit, masqueradeBit, clock, logger })]
        : []),
    ];
  }

  /** Conditions of the node that hold. */
  get conditions(): readonly PressureType[] {
    return this.#eviction.conditions;
  }

  /** Begins. */
  start(): void {
    for (const part of this.#parts) part.start();
  }

  /** Ends that. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    for (const part of this.#parts) await part.stop();
  }

  /** Returns why the node refuses a pod while it is short of something; undefined if it does not. */
  refusal(pod: Pod): PressureRefusal | undefined {
    const { annotations, node } = this.settings;
    return pressureRefusal(pod, this.conditions, annotations, node.names.key('node.orch.io/memory-pressure'));
  }

  #makeImages(): ImageCollector {
    const { options, runtime, events, clock, logger } = this.settings;
    return new ImageCollector({
      runtime,
      filesystem: async () => (await this.meter.node()).imagefs,
      highPercent: options.imageGcHighThreshold,
      lowPercent: options.imageGcLowThreshold,
      minimumAgeMs: options.minimumImageTtlDuration,
      events,
      clock,
      logger,
    });
  }

  #makeContainers(podLogs: string): ContainerCollector {
    const { options, runtime, pods, events, clock, logger } = this.settings;
    return new ContainerCollector({
      runtime,
      podLogs,
      perContainer: options.maximumDeadContainersPerContainer,
      onNode: options.maximumDeadContainers,
      hasSeenAll: () => pods().desired.hasSeenAll,
      knows: (uid) => pods().workers.get(uid) !== undefined,
      hasEnded: (uid) => pods().workers.get(uid)?.stage === 'finished',
      events,
      clock,
      logger,
    });
  }

  #makeEviction(images: ImageCollector, containers: ContainerCollector): EvictionManager {
    const { options, node, pods, annotations, events, clock, logger } = this.settings;
    return new EvictionManager({
      thresholds: thresholdsOf({
        hard: parseThresholds(options.evictionHard),
        soft: parseThresholds(options.evictionSoft),
        gracePeriods: parseEvictionPeriods(options.evictionSoftGracePeriod),
        reclaim: parseEvictionAmounts(options.evictionMinimumReclaim),
        holdsPods: options.enforceNodeAllocatable.includes('pods'),
      }),
      transitionMs: options.evictionPressureTransitionPeriod,
      maxGraceSeconds: options.evictionMaxPodGracePeriod,
      limitsStorage: options.localStorageCapacityIsolation,
      meter: this.meter,
      podMemory: () => Number(node.sharedByPods().get('memory') ?? 0n),
      pods: () => [...pods().workers.list('syncing')].map(({ pod }) => pod),
      evict: (pod, verdict, graceSeconds) => pods().workers.evict(uidOf(pod), verdict, graceSeconds),
      isEnding: (uid) => ['terminating', 'terminated'].includes(pods().workers.get(uid)?.stage ?? ''),
      removeContainers: () => containers.collect(true),
      removeImages: () => images.removeUnused(),
      annotations,
      events,
      clock,
      logger,
    });
  }
}
