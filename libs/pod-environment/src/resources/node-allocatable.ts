import { Quantity } from '@orch/machinery';
import { amountsOf, type ResourceAmounts } from './amounts.js';
import type { EvictionSignal, EvictionThreshold } from './eviction-thresholds.js';

/** Resources that hard thresholds of eviction keep free, by signal. */
const KEPT_FREE: Readonly<Partial<Record<EvictionSignal, string>>> = {
  'memory.available': 'memory',
  'nodefs.available': 'ephemeral-storage',
};

/** Shares of the machine that pods cannot have. */
export interface ReservedShares {
  /** `--kube-reserved`. */
  readonly agent: ReadonlyMap<string, string>;
  /** `--system-reserved`. */
  readonly system: ReadonlyMap<string, string>;
  /** Thresholds of `--eviction-hard`. */
  readonly thresholds: readonly EvictionThreshold[];
}

/** Returns what pods can have of the capacity: without what is reserved and what eviction keeps free. */
export function allocatableOf(capacity: ResourceAmounts, reserved: ReservedShares): Map<string, bigint> {
  const [agent, system] = [
    amountsOf(Object.fromEntries(reserved.agent)),
    amountsOf(Object.fromEntries(reserved.system)),
  ];
  const free = keptFree(capacity, reserved.thresholds);
  const left = [...capacity].map(([name, amount]) => {
    const rest = [agent, system, free].reduce((sum, shares) => sum - (shares.get(name) ?? 0n), amount);
    return [name, rest > 0n ? rest : 0n] as const;
  });
  const allocatable = new Map(left);
  // Huge pages are taken from memory, for good.
  for (const [name, amount] of capacity) {
    const size = pageBytes(name);
    if (size === undefined) continue;
    const memory = (allocatable.get('memory') ?? 0n) - amount;
    allocatable.set('memory', memory > 0n ? memory : 0n);
  }
  return allocatable;
}

function keptFree(capacity: ResourceAmounts, thresholds: readonly EvictionThreshold[]): Map<string, bigint> {
  const kept = new Map<string, bigint>();
  for (const { signal, amount } of thresholds) {
    const resource = KEPT_FREE[signal];
    if (resource === undefined) continue;
    const whole = capacity.get(resource) ?? 0n;
    kept.set(resource, amount.kind === 'quantity' ? amount.value : BigInt(Math.floor(Number(whole) * amount.fraction)));
  }
  return kept;
}

const pageBytes = (resource: string): string | undefined => /^hugepages-(.+)$/.exec(resource)?.[1];

const NANO = 1_000_000_000n;

/** Writes amounts as objects have them: memory and storage with binary suffixes. */
export function resourceListOf(amounts: ResourceAmounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, quantityText(name, amount)]));
}

function quantityText(name: string, amount: bigint): string {
  if (name === 'cpu') return new Quantity(amount * (NANO / 1000n), 'decimalSI').toString();
  const isBytes = name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
  if (!isBytes) return String(amount);
  // Sizes that are no multiple of a larger unit are written in Ki or in bytes, as they were measured.
  return amount % 1024n === 0n && amount > 0n ? `${amount / 1024n}Ki` : String(amount);
}
