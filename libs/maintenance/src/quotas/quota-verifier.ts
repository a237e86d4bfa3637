import { type Amounts, amountOf, isUncounted, type QuotaObject, shown } from '@orch/quota';
import { type Clock, systemClock } from '@orch/runtime';
import type { Key } from '@orch/storage';
import type { KnownQuota } from '@orch/writing';
import type { QuotaCount } from './quota-count.js';

/** A wrong amount in the status of a quota. */
interface WrongAmount {
  readonly name: string;
  readonly told: string;
  readonly found: string;
}

/** Result of a verification. `overtaken`: the quota was charged so often that it could not be compared. */
export type Verification =
  | { readonly result: 'true' | 'overtaken' }
  | { readonly result: 'mended'; readonly key: Key; readonly wrong: readonly WrongAmount[] };

interface QuotaVerifierOptions {
  readonly count: Pick<QuotaCount, 'find' | 'used' | 'write'>;
  readonly quotas: () => Iterable<KnownQuota>;
  /** Interval in which each quota is verified once, milliseconds; longer if there are too many. */
  readonly intervalMs: number;
  readonly onVerified: (verification: Verification) => void;
  readonly clock?: Clock;
}

/** Shortest pause between two verifications, milliseconds. */
const LEAST_PAUSE_MS = 1_000;
/** Pause after a verification, as a multiple of its duration. */
const REST = 9;
/** Most counts of one quota, if concurrent writes charge it. */
const ATTEMPTS = 4;

/**
 * Compares the usage in quotas with the actual usage, one quota after another at long intervals, and corrects it. No
 * difference is expected ever.
 */
export class QuotaVerifier {
  readonly #clock: Clock;
  #due: number | undefined;
  /** Name of the quota that was verified last. */
  #last = '';

  constructor(private readonly options: QuotaVerifierOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Verifies a quota, if one is due. @returns milliseconds until the next is due */
  async round(): Promise<number> {
    const began = this.#clock.now();
    this.#due ??= began + this.#pause(0);
    if (began < this.#due) return this.#due - began;
    try {
      await this.#next();
    } finally {
      const now = this.#clock.now();
      this.#due = now + this.#pause(now - began);
    }
    return this.#due - this.#clock.now();
  }

  #pause(took: number): number {
    let quotas = 0;
    for (const _ of this.options.quotas()) quotas++;
    return Math.max(LEAST_PAUSE_MS, REST * took, this.options.intervalMs / Math.max(1, quotas));
  }

  /** Verifies the quota after the last one, in the order of their keys; after the end the first one. */
  async #next(): Promise<void> {
    let first: KnownQuota | undefined;
    let next: KnownQuota | undefined;
    for (const quota of this.options.quotas()) {
      const name = nameOf(quota);
      if (!first || name < nameOf(first)) first = quota;
      if (name > this.#last && (!next || name < nameOf(next))) next = quota;
    }
    const chosen = next ?? first;
    if (!chosen) return;
    this.#last = nameOf(chosen);
    await this.#verify({ namespace: chosen.namespace, name: chosen.terms.name });
  }

  async #verify(key: Key): Promise<void> {
    const { count, onVerified } = this.options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const found = await count.find(key);
      // A quota that is still to be counted has no usage yet.
      if (!found || isUncounted(found.quota)) return;
      const used = await count.used(key.namespace, found.quota);
      const wrong = wrongAmounts(found.quota, used);
      if (wrong.length === 0) return onVerified({ result: 'true' });
      if (await count.write(key, found.version, used)) return onVerified({ result: 'mended', key, wrong });
    }
    onVerified({ result: 'overtaken' });
  }
}

const nameOf = ({ namespace, terms }: KnownQuota): string => `${namespace}/${terms.name}`;

function wrongAmounts({ status }: QuotaObject, used: Amounts): WrongAmount[] {
  return Object.entries(status?.used ?? {}).flatMap(([name, told]) => {
    const [amount, found] = [amountOf(told), used.get(name) ?? 0n];
    return amount?.nanos === found ? [] : [{ name, told, found: shown(found, amount?.format === 'binarySI') }];
  });
}
