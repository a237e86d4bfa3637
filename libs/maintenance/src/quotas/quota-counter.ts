import { isUncounted } from '@orch/quota';
import type { Clock } from '@orch/runtime';
import { LEADERSHIP_MS, LeaderRounds, Leadership } from '@orch/runtime/work';
import type { Key, ServingStore } from '@orch/storage';
import type { QuotaIndex } from '@orch/writing';
import type { QuotaCount } from './quota-count.js';
import type { QuotaVerifier } from './quota-verifier.js';

/** Why a quota is counted: it never was, or servers of the release before have written beside it. */
export type CountReason = 'new' | 'uncharged';

interface QuotaCounterOptions {
  readonly store: Pick<ServingStore, 'lease' | 'uncharged' | 'forgetUncharged'>;
  readonly index: QuotaIndex;
  readonly count: Pick<QuotaCount, 'find' | 'used' | 'write'>;
  /** What looks at those that were counted; nobody does when absent. */
  readonly verifier?: Pick<QuotaVerifier, 'round'>;
  /** Hears of each count that was written. */
  readonly onCounted: (reason: CountReason) => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Counts of one quota in a round, where writes that are charged to it come between. */
const ATTEMPTS = 16;

/**
 * Counts what quotas have that nobody has counted yet, in one process at a time. What is written from then on is charged as it is
 * written.
 */
export class QuotaCounter {
  readonly #leadership: Leadership;
  readonly #rounds: LeaderRounds;

  constructor(private readonly options: QuotaCounterOptions) {
    const { store, onError, clock } = options;
    this.#leadership = new Leadership(store.lease('quota-count', LEADERSHIP_MS), clock);
    const round = () => this.#round();
    this.#rounds = new LeaderRounds({ leadership: this.#leadership, round, onError, ...(clock && { clock }) });
    options.index.onChange(() => this.#ask());
  }

  start(): void {
    this.#rounds.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
  }

  #ask(): void {
    if ([...this.options.index.all()].some(({ uncounted }) => uncounted)) this.#rounds.ask();
  }

  async #round(): Promise<number | undefined> {
    await this.#countDue();
    return this.#goesOn ? this.options.verifier?.round() : undefined;
  }

  get #goesOn(): boolean {
    return !this.#rounds.isStopped && this.#leadership.leads;
  }

  /** What goes wrong with one quota keeps nobody from the others. */
  async #countDue(): Promise<void> {
    const { index, store, onError } = this.options;
    const { upTo, namespaces } = await store.uncharged();
    const again = new Set(namespaces);
    let failed = false;
    for (const quota of [...index.all()].filter(({ uncounted, namespace }) => uncounted || again.has(namespace))) {
      if (!this.#goesOn) return;
      const key = { namespace: quota.namespace, name: quota.terms.name };
      await this.#count(key, again.has(quota.namespace) ? 'uncharged' : 'new').catch((error: unknown) => {
        failed = true;
        onError(error);
      });
    }
    if (!failed && namespaces.length > 0) await store.forgetUncharged(upTo);
  }

  async #count(key: Key, reason: CountReason): Promise<void> {
    const { count, onCounted } = this.options;
    // The first count has writes charged to the quota from then on; the second finds what came before.
    let counts = reason === 'uncharged' ? 2 : 1;
    for (let attempt = 1; attempt <= ATTEMPTS && counts > 0; attempt++) {
      const found = await count.find(key);
      if (!found || (reason === 'new' && !isUncounted(found.quota))) return;
      const used = await count.used(key.namespace, found.quota);
      if (!(await count.write(key, found.version, used))) continue;
      onCounted(reason);
      counts--;
    }
  }
}
