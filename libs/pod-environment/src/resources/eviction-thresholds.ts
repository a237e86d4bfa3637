import { parseQuantity, QuantityError } from '@orch/machinery';

/** Signals by which pods are evicted. */
const EVICTION_SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
] as const;
/** A signal by which pods are evicted. */
export type EvictionSignal = (typeof EVICTION_SIGNALS)[number];

/** A lower bound of what must be available of a resource. */
export type EvictionAmount =
  | { readonly kind: 'quantity'; readonly value: bigint; readonly text: string }
  | { readonly kind: 'percentage'; readonly fraction: number; readonly text: string };

/** A threshold: less than the amount is pressure. */
export interface EvictionThreshold {
  /** Signal that is compared. */
  readonly signal: EvictionSignal;
  /** Amount that must be available. */
  readonly amount: EvictionAmount;
}

function signalOf(text: string): EvictionSignal {
  const found = EVICTION_SIGNALS.find((signal) => signal === text);
  if (!found) throw new Error(`unsupported eviction signal ${text}`);
  return found;
}

/** Parses `memory.available<100Mi`; undefined for 0% and 100%, which are no thresholds. @throws Error */
function parseThreshold(text: string): EvictionThreshold | undefined {
  const at = text.indexOf('<');
  if (at < 0) throw new Error(`${JSON.stringify(text)} is not signal<amount`);
  const signal = signalOf(text.slice(0, at));
  const value = text.slice(at + 1);
  if (value === '0%' || value === '100%') return undefined;
  return { signal, amount: parseAmount(signal, value) };
}

function parseAmount(signal: string, text: string): EvictionAmount {
  if (text.endsWith('%')) {
    const fraction = Number(text.slice(0, -1)) / 100;
    if (!/^\d+(?:\.\d+)?%$/.test(text) || fraction > 1)
      throw new Error(`eviction percentage threshold ${signal} must be 0% to 100%: ${text}`);
    return { kind: 'percentage', fraction, text };
  }
  const value = amountIn(text);
  if (value <= 0n) throw new Error(`eviction threshold ${signal} must be positive: ${text}`);
  return { kind: 'quantity', value, text };
}

function amountIn(text: string): bigint {
  try {
    return parseQuantity(text).value();
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new Error(`${JSON.stringify(text)} is not a quantity`);
  }
}

/** Parses the value of `--eviction-hard` or `--eviction-soft`. @throws Error for the first that is none */
export function parseThresholds(texts: readonly string[]): EvictionThreshold[] {
  const found = new Map<string, EvictionThreshold>();
  const seen = new Set<string>();
  for (const text of texts) {
    const signal = text.slice(0, Math.max(0, text.indexOf('<')));
    if (seen.has(signal)) throw new Error(`eviction signal ${signal} has more than one threshold`);
    seen.add(signal);
    const threshold = parseThreshold(text);
    if (threshold) found.set(signal, threshold);
  }
  return [...found.values()];
}

/** Checks thresholds. @throws Error */
export function checkThresholds(texts: readonly string[]): void {
  parseThresholds(texts);
}

const DURATION = /^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/;

/** Checks durations by signal. @throws Error */
export function checkEvictionPeriods(periods: ReadonlyMap<string, string>): void {
  for (const [signal, period] of periods)
    if (!DURATION.test(period)) throw new Error(`${signalOf(signal)}: ${JSON.stringify(period)} is not a duration`);
    else signalOf(signal);
}

/** Checks amounts by signal. @throws Error */
export function checkEvictionAmounts(amounts: ReadonlyMap<string, string>): void {
  for (const [signal, amount] of amounts) parseAmount(signalOf(signal), amount);
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Returns durations by signal, ms. The texts have been checked. */
export const parseEvictionPeriods = (periods: ReadonlyMap<string, string>): ReadonlyMap<string, number> =>
  new Map(
    [...periods].map(([signal, text]) => {
      const parts = [...text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)];
      return [signal, parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0)];
    }),
  );

/** Returns amounts by signal. @throws Error */
export const parseEvictionAmounts = (amounts: ReadonlyMap<string, string>): ReadonlyMap<string, EvictionAmount> =>
  new Map([...amounts].map(([signal, amount]) => [signal, parseAmount(signal, amount)]));
