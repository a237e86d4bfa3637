import type { EvictionAmount, EvictionSignal, EvictionThreshold } from '@orch/pod-environment';

/** An amount that is there, of which so much is available; bytes or pieces. */
export interface SignalAmount {
  /** Available part. */
  readonly available: number;
  /** All that there is. */
  readonly capacity: number;
}

/** Measured amounts, by signal. */
export type Observations = ReadonlyMap<EvictionSignal, SignalAmount>;

/** A threshold with everything that its exceeding means. */
export interface Threshold extends EvictionThreshold {
  /** Time that it has to be exceeded for before pods are evicted, ms; 0 for a hard one. */
  readonly graceMs: number;
  /** Amount beyond the threshold that must be available before it counts as met no more. */
  readonly reclaim?: EvictionAmount;
}

/** Condition of the node. */
export type PressureType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** Resource that a pod is evicted for. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** Meaning of the signals. */
export const SIGNALS: Readonly<
  Record<EvictionSignal, { readonly condition: PressureType; readonly resource: StarvedResource }>
> = {
  'memory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'allocatableMemory.available': { condition: 'MemoryPressure', resource: 'memory' },
  'nodefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage' },
  'nodefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes' },
  'imagefs.available': { condition: 'DiskPressure', resource: 'ephemeral-storage' },
  'imagefs.inodesFree': { condition: 'DiskPressure', resource: 'inodes' },
  'pid.available': { condition: 'PIDPressure', resource: 'pids' },
};

/** Settings of all thresholds, as the options have them. */
interface ThresholdSettings {
  /** Hard ones. */
  readonly hard: readonly EvictionThreshold[];
  /** Soft ones. */
  readonly soft: readonly EvictionThreshold[];
  /** Grace periods of the soft ones by signal, ms. */
  readonly gracePeriods: ReadonlyMap<string, number>;
  /** Amounts to be reclaimed, by signal. */
  readonly reclaim: ReadonlyMap<string, EvictionAmount>;
  /** Whether pods are held to what they can have of the machine: that has a threshold of its own. */
  readonly holdsPods: boolean;
}

/** Returns all thresholds. */
export function thresholdsOf({ hard, soft, gracePeriods, reclaim, holdsPods }: ThresholdSettings): Threshold[] {
  const complete = (threshold: EvictionThreshold, graceMs: number): Threshold => {
    const more = reclaim.get(threshold.signal);
    return { ...threshold, graceMs, ...(more && { reclaim: more }) };
  };
  const all = [
    ...hard.map((threshold) => complete(threshold, 0)),
    ...soft.map((threshold) => complete(threshold, gracePeriods.get(threshold.signal) ?? 0)),
  ];
  const ofPods = all
    .filter(({ signal, graceMs }) => holdsPods && signal === 'memory.available' && graceMs === 0)
    .map((threshold) => ({ ...threshold, signal: 'allocatableMemory.available' as const }));
  return [...all, ...ofPods];
}

/** Returns an amount of a capacity. */
export const amountOf = (amount: EvictionAmount, capacity: number): number =>
  amount.kind === 'quantity' ? Number(amount.value) : Math.floor(capacity * amount.fraction);

/** Returns the thresholds that are exceeded. @param withReclaim whether the amounts to be reclaimed have to be there too */
export function exceeded(
  thresholds: readonly Threshold[],
  observations: Observations,
  withReclaim: boolean,
): Threshold[] {
  return thresholds.filter(({ signal, amount, reclaim }) => {
    const observed = observations.get(signal);
    if (!observed) return false;
    const { available, capacity } = observed;
    const more = withReclaim && reclaim ? amountOf(reclaim, capacity) : 0;
    return available < amountOf(amount, capacity) + more;
  });
}
