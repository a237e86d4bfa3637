import type { ApiObject } from '@orch/machinery';
import {
  type Amounts,
  addTo,
  amountOf,
  countedOf,
  type Evaluators,
  isUncounted,
  type QuotaObject,
  shown,
  termsOf,
} from '@orch/quota';
import type { Clock } from '@orch/runtime';
import type { Key, Row, ServingStore, Version } from '@orch/storage';
import { Slices } from '../decoding/turns.js';
import { LeaderRounds } from '../following/leader-rounds.js';
import { LEADERSHIP_MS, Leadership } from '../following/leadership.js';
import { fromStored } from '../representation/stored-body.js';
import type { Endpoint } from '../served/endpoint.js';
import { serverItself } from '../writing/caller.js';
import { ignoreMissing } from '../writing/own-update.js';
import type { WritePipeline } from '../writing/write-pipeline.js';
import { resourceOf } from './quota-charges.js';
import type { QuotaIndex } from './quota-index.js';

export interface QuotaCounterOptions {
  readonly store: Pick<ServingStore, 'get' | 'snapshot' | 'settledHead' | 'lease' | 'uncharged' | 'forgetUncharged'>;
  readonly pipeline: Pick<WritePipeline, 'write'>;
  readonly index: QuotaIndex;
  readonly evaluators: Evaluators;
  /** All kinds whose objects lie in namespaces, one endpoint each. */
  readonly namespaced: () => readonly Endpoint[];
  /** Resolves when all kinds are served that any server served before the call. */
  readonly catchUp: () => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Above every version: who asks for it waits for each write that is under way. */
const EVERY_WRITE = (1n << 62n) as Version;
/** Counts of one quota in a round, where writes that are charged to it come between. */
const ATTEMPTS = 16;

/** Thrown out of the write of a count when the quota is not any more what was counted for. */
class Overtaken extends Error {}

/**
 * Counts what quotas have that nobody has counted yet, in one process at a time. What is written from then on is charged as it is
 * written.
 *
 * A count begins with a version of the quota. Writes that know of it leave a younger version when they change what it counts; those
 * that may not know of it are waited for. So where the quota is still at that version when the count is written, nothing was
 * changed since, and what was read of each resource at another time is true of one.
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

  /** What goes wrong with one quota keeps nobody from the others. */
  async #round(): Promise<undefined> {
    const { index, store, onError } = this.options;
    const { upTo, namespaces } = await store.uncharged();
    const again = new Set(namespaces);
    let failed = false;
    for (const quota of [...index.all()].filter(({ uncounted, namespace }) => uncounted || again.has(namespace))) {
      if (this.#rounds.isStopped || !this.#leadership.leads) return;
      const key = { namespace: quota.namespace, name: quota.terms.name };
      await this.#count(key, again.has(quota.namespace)).catch((error: unknown) => {
        failed = true;
        onError(error);
      });
    }
    if (!failed && namespaces.length > 0) await store.forgetUncharged(upTo);
  }

  /** @param anew what is known is not to be believed, as servers of another release have written beside it */
  async #count(key: Key, anew: boolean): Promise<void> {
    const { store, index, catchUp } = this.options;
    // The first count has writes charged to the quota from then on; the second finds what came before.
    let counts = anew ? 2 : 1;
    for (let attempt = 1; attempt <= ATTEMPTS && counts > 0; attempt++) {
      const row = await store.get(index.endpoint.type, key);
      if (!row) return;
      const quota = fromStored(row, index.endpoint);
      if (!anew && !isUncounted(quota)) return;
      await catchUp();
      const used = await this.#usedNow(key.namespace, quota);
      if (await this.#write(key, row.version, used)) counts--;
    }
  }

  async #usedNow(namespace: string, quota: ApiObject): Promise<Amounts> {
    const { store, evaluators, namespaced } = this.options;
    const limited = Object.keys((quota as QuotaObject).spec?.hard ?? {});
    const terms = { ...termsOf(quota), limited };
    const used = new Map(limited.map((name) => [name, 0n]));
    const concerned = namespaced().filter((endpoint) => {
      const evaluator = evaluators.of(resourceOf(endpoint));
      return evaluator !== undefined && limited.some((name) => evaluator.counts(name));
    });
    await Promise.all(concerned.map(({ type }) => store.settledHead(type, EVERY_WRITE)));
    for (const endpoint of concerned) {
      const evaluator = evaluators.of(resourceOf(endpoint));
      if (!evaluator) continue;
      const add = (row: Row) => addTo(used, countedOf(terms, evaluator, fromStored(row, endpoint)));
      await this.#each(endpoint, namespace, add);
    }
    return used;
  }

  async #each({ type }: Endpoint, namespace: string, visit: (row: Row) => void): Promise<void> {
    const { pages } = await this.options.store.snapshot({ type, namespace });
    const slices = new Slices();
    for await (const page of pages) {
      for (const row of page) {
        visit(row);
        await slices.between();
      }
    }
  }

  /** @returns false where the quota has been written meanwhile */
  async #write(key: Key, version: Version, used: Amounts): Promise<boolean> {
    const { pipeline, index } = this.options;
    const { endpoint } = index;
    const request = {
      operation: 'UPDATE',
      endpoint,
      key,
      subresource: 'status',
      caller: serverItself(),
      options: { dryRun: false },
      namesVersion: true,
      counted: true,
    } as const;
    const change = (current: ApiObject, _turn: unknown, stored: Pick<Row, 'version'>): ApiObject => {
      if (stored.version !== version) throw new Overtaken();
      const { hard = {} } = (current as QuotaObject).spec ?? {};
      const told = Object.entries(hard).map(([name, limit]) => {
        return [name, shown(used.get(name) ?? 0n, amountOf(limit)?.format === 'binarySI')] as const;
      });
      return { ...current, status: { hard, used: Object.fromEntries(told) } } as ApiObject;
    };
    try {
      await pipeline.write(request, { change }).then(() => undefined, ignoreMissing);
      return true;
    } catch (error) {
      if (error instanceof Overtaken) return false;
      throw error;
    }
  }
}
