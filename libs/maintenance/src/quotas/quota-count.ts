import { type ApiObject, conflict, StatusError } from '@orch/machinery';
import {
  type Amounts,
  addTo,
  amountOf,
  countedOf,
  type Evaluators,
  type QuotaObject,
  shown,
  termsOf,
} from '@orch/quota';
import { type Endpoint, fromStored } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import type { Key, Row, ServingStore, Version } from '@orch/storage';
import { type ControllerClient, ignoreMissing, resourceOf } from '@orch/writing';

interface QuotaCountOptions {
  readonly store: Pick<ServingStore, 'get' | 'snapshot' | 'settledHead'>;
  readonly client: Pick<ControllerClient, 'update'>;
  /** Of resourcequotas. */
  readonly endpoint: Endpoint;
  readonly evaluators: Evaluators;
  /** All kinds whose objects lie in namespaces, one endpoint each. */
  readonly namespaced: () => readonly Endpoint[];
  /** Resolves when all kinds are served that any server served before the call. */
  readonly catchUp: () => Promise<void>;
}

/** A quota as it is stored. */
interface StoredQuota {
  readonly version: Version;
  readonly quota: ApiObject;
}

/** Above every version: who asks for it waits for each write that is under way. */
const EVERY_WRITE = (1n << 62n) as Version;

/**
 * Counts what there is of what a quota limits, beside writers.
 *
 * A count begins with a version of the quota. Writes that know of it leave a younger version when they change what it counts; those
 * that may not know of it are waited for. So where the quota is still at that version when the count is written, nothing was
 * changed since, and what was read of each resource at another time is true of one.
 */
export class QuotaCount {
  constructor(private readonly options: QuotaCountOptions) {}

  /** Before it is counted; undefined where it has gone. */
  async find(key: Key): Promise<StoredQuota | undefined> {
    const { store, endpoint } = this.options;
    const row = await store.get(endpoint.type, key);
    return row && { version: row.version, quota: fromStored(row, endpoint) };
  }

  /** What there is, by names of what is limited. */
  async used(namespace: string, quota: ApiObject): Promise<Amounts> {
    const { store, evaluators, namespaced, catchUp } = this.options;
    await catchUp();
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

  /** Writes what was counted, also for one that has gone. @returns false where the quota has been written meanwhile */
  async write(key: Key, version: Version, used: Amounts): Promise<boolean> {
    const { client, endpoint } = this.options;
    const change = (current: ApiObject, _turn: unknown, stored: Pick<Row, 'version'>): ApiObject => {
      if (stored.version !== version)
        throw conflict(endpoint.groupResource, key.name, 'it was written since it was counted');
      const { hard = {} } = (current as QuotaObject).spec ?? {};
      const told = Object.entries(hard).map(([name, limit]) => {
        return [name, shown(used.get(name) ?? 0n, amountOf(limit)?.format === 'binarySI')] as const;
      });
      return { ...current, status: { hard, used: Object.fromEntries(told) } } as ApiObject;
    };
    try {
      const target = { endpoint, key, subresource: 'status' };
      const settings = { changeKind: 'usage', hints: { namesVersion: true } } as const;
      await client.update(target, change, settings).catch(ignoreMissing);
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      throw error;
    }
  }
}
