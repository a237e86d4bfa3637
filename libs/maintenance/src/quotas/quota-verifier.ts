import { type Amounts, amountOf, isUncounted, type QuotaObject, shown } from '@orch/quota';
import { type Clock, systemClock } from '@orch/runtime';
import type { Key } from '@orch/storage';
import type { KnownQuota } from '@orch/writing';
import type { QuotaCount } from './quota-count.js';

/** An amount that a quota did not tell as it is. */
interface WrongAmount {
  readonly name: string;
  readonly told: string;
  readonly found: string;
}

/** What a verification found. `overtaken`: the quota was charged so often that it could not be compared. */
export type Verification =
  | { readonly result: 'true' | 'overtaken' }
  | { readonly result: 'mended'; readonly key: Key; readonly wrong: readonly WrongAmount[] };

interface QuotaVerifierOptions {
  readonly count: Pick<QuotaCount, 'find' | 'used' | 'write'>;
  readonly quotas: () => Iterable<KnownQuota>;
  /** Milliseconds in which each is verified once; longer where there are too many. */
  readonly intervalMs: number;
  readonly onVerified: (verification: Verification) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two verifications at least. */
const LEAST_PAUSE_MS = 1_000;
/** How many times as long as it took to count it is rested. */
const REST = 9;
/** Counts of one quota, where writes that are charged to it come between. */
const ATTEMPTS = 4;

/** Compares what quotas tell with what there is, one after another and seldom, and mends them. Nothing is ever to be found. */
export class QuotaVerifier {
  readonly #clock: Clock;
  #due: number | undefined;
  /** The one that was verified last. */
  #last = '';

  constructor(private readonly options: QuotaVerifierOptions) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Verifies one, where that is due. @returns milliseconds until the next is */
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

  /** The first behind the last one, in the order of their keys; behind the end the first of all. */
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
      // One that is to be counted tells nothing yet.
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
