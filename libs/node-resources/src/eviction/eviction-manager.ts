import { formatTime } from '@orch/machinery';
import { type EventSink, isCriticalPod, type PodAnnotations, podKeyOf, uidOf } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { Pod, PodStatus } from '@orch/schema/types/core/v1';
import { Periodic } from '../periodic.js';
import { memoryOf, type NodeUsage, type PodUsage } from '../usage/usage.js';
import type { UsageMeter } from '../usage/usage-meter.js';
import { limitsFiles, storageExcess } from './local-storage.js';
import { evictionMessage } from './messages.js';
import { observationsOf } from './observe.js';
import { Pressure } from './pressure.js';
import { type RankedPod, ranked } from './ranking.js';
import { exceeded, type PressureType, SIGNALS, type Threshold } from './thresholds.js';

/** Status that an evicted pod fails with. */
type EvictionVerdict = Required<Pick<PodStatus, 'reason' | 'message' | 'conditions'>>;

/** Dependencies of {@link EvictionManager}. */
interface EvictionManagerSettings {
  /** Thresholds of all signals. */
  readonly thresholds: readonly Threshold[];
  /** Time that a pressure has to be gone before its condition ends, ms. */
  readonly transitionMs: number;
  /** Longest grace period of a pod that a soft threshold evicts, seconds. */
  readonly maxGraceSeconds: number;
  /** Whether limits of ephemeral storage are enforced. */
  readonly limitsStorage: boolean;
  /** Measures the node and its pods. */
  readonly meter: Pick<UsageMeter, 'node' | 'pods'>;
  /** Returns the memory that pods can have, bytes. */
  readonly podMemory: () => number;
  /** Returns the pods that run or may run. */
  readonly pods: () => Iterable<Pod>;
  /** Ends a pod. @param graceSeconds its grace period */
  readonly evict: (pod: Pod, verdict: EvictionVerdict, graceSeconds: number) => void;
  /** Whether an evicted pod has not ended yet, or still has files. */
  readonly isEnding: (uid: string) => boolean;
  /** Removes ended containers that nothing needs. */
  readonly removeContainers: () => Promise<void>;
  /** Removes images that nothing uses. */
  readonly removeImages: () => Promise<void>;
  /** Annotations by which static pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Receives what is to be reported. */
  readonly events: EventSink;
  /** Clock of the intervals. */
  readonly clock: Clock;
  /** Logs failures. */
  readonly logger: Logger;
}

/** Measurements of a round. */
interface Measured {
  readonly node: NodeUsage;
  readonly usages: ReadonlyMap<string, PodUsage>;
  readonly observations: ReturnType<typeof observationsOf>;
}

const EVERY_MS = 10_000;
/** Least time that a pod is given to end, ms, and the time that its files are given to be removed. */
const [LEAST_END_MS, CLEANUP_MS] = [10_000, 30_000];

/** Keeps the node from running out of memory, disk and process ids, at the expense of pods where nothing else helps. */
export class EvictionManager {
  readonly #pressure: Pressure;
  readonly #periodic: Periodic;
  /** The pod that was evicted last for a resource of the node, and the time until which its end is waited for. */
  #victim: { readonly uid: string; readonly until: number } | undefined;

  constructor(private readonly settings: EvictionManagerSettings) {
    const { thresholds, transitionMs, clock, logger } = settings;
    this.#pressure = new Pressure(thresholds, transitionMs);
    const work = () => this.check();
    this.#periodic = new Periodic({
      name: 'the check of what the node has left',
      everyMs: EVERY_MS,
      work,
      clock,
      logger,
    });
  }

  /** Conditions of the node that hold. */
  get conditions(): readonly PressureType[] {
    return this.#pressure.conditions;
  }

  /** Begins to check. */
  start(): void {
    const { thresholds, limitsStorage } = this.settings;
    if (thresholds.length > 0 || limitsStorage) this.#periodic.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Checks once, and evicts one pod at most for a resource of the node. @throws Error if something cannot be measured */
  async check(): Promise<void> {
    const { clock, limitsStorage, events, maxGraceSeconds } = this.settings;
    const measured = await this.#measure();
    const met = this.#pressure.note(measured.observations, clock.now());
    if (limitsStorage && this.#enforceStorage(measured)) return;
    const [threshold] = [...met].sort((a, b) => rankOf(a) - rankOf(b));
    if (!threshold || this.#isAwaited(clock.now())) return;
    const { resource } = SIGNALS[threshold.signal];
    events.ofNode('Warning', 'EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await this.#reclaim(threshold, measured.node)) return;
    const order = ranked(this.#candidates(measured), threshold, measured.node.hasOwnImagefs);
    const grace = threshold.graceMs === 0 ? 0 : maxGraceSeconds;
    for (const candidate of order) {
      const message = evictionMessage(resource, candidate, met, measured.observations);
      if (!this.#evict(candidate.pod, message, grace)) continue;
      const until = clock.now() + Math.max(LEAST_END_MS, grace * 1_500) + CLEANUP_MS;
      this.#victim = { uid: uidOf(candidate.pod), until };
      return;
    }
    this.settings.logger.warn('no pod can be evicted', { resource });
  }

  /** Whether what the last evicted pod frees is still to come: another one would be evicted for nothing. */
  #isAwaited(now: number): boolean {
    return this.#victim !== undefined && now < this.#victim.until && this.settings.isEnding(this.#victim.uid);
  }

  /** Pods are measured only where that may change something: their usage is expensive to be had. */
  async #measure(): Promise<Measured> {
    const { meter, podMemory, pods, thresholds, limitsStorage } = this.settings;
    const node = await meter.node();
    // Pods use at most what the whole machine uses.
    const atLeast = observationsOf(node, node.memory.workingSetBytes, podMemory());
    const areNeeded =
      exceeded(thresholds, atLeast, true).length > 0 || (limitsStorage && [...pods()].some(limitsFiles));
    if (!areNeeded) return { node, usages: new Map(), observations: atLeast };
    const usages = await meter.pods();
    const used = [...usages.values()].reduce((sum, usage) => sum + memoryOf(usage), 0);
    return { node, usages, observations: observationsOf(node, used, podMemory()) };
  }

  #candidates({ usages }: Measured): RankedPod[] {
    return [...this.settings.pods()].map((pod) => {
      const usage = usages.get(uidOf(pod));
      return { pod, ...(usage && { usage }) };
    });
  }

  #enforceStorage(measured: Measured): boolean {
    const over = this.#candidates(measured).filter(({ pod, usage }) => {
      const message = usage && storageExcess(pod, usage);
      return message !== undefined && this.#evict(pod, message, 0);
    });
    return over.length > 0;
  }

  /** Frees what no pod needs. @returns whether that was enough */
  async #reclaim({ signal }: Threshold, node: NodeUsage): Promise<boolean> {
    const { thresholds, removeContainers, removeImages, logger } = this.settings;
    const isDisk = SIGNALS[signal].condition === 'DiskPressure';
    if (!isDisk || (node.hasOwnImagefs && signal.startsWith('nodefs'))) return false;
    for (const remove of [removeContainers, removeImages])
      await remove().catch((error: unknown) => logger.warn('disk cannot be freed', { err: String(error) }));
    const { observations } = await this.#measure();
    return exceeded(thresholds, observations, false).length === 0;
  }

  #evict(pod: Pod, message: string, graceSeconds: number): boolean {
    const { annotations, events, evict, clock, logger } = this.settings;
    if (isCriticalPod(pod, annotations)) {
      logger.warn('a critical pod is not evicted', { pod: podKeyOf(pod) });
      return false;
    }
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message };
    events.ofPod(pod, 'Warning', 'Evicted', message);
    evict(
      pod,
      { reason: 'Evicted', message, conditions: [{ ...condition, lastTransitionTime: formatTime(clock.wall()) }] },
      graceSeconds,
    );
    return true;
  }
}

/** Memory first: nothing else lets processes die at once. */
const rankOf = ({ signal }: Threshold): number => (SIGNALS[signal].condition === 'MemoryPressure' ? 0 : 1);
