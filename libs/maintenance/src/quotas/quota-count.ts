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
  /** Endpoint of resourcequotas. */
  readonly endpoint: Endpoint;
  readonly evaluators: Evaluators;
  /** Returns all namespaced kinds, one endpoint each. */
  readonly namespaced: () => readonly Endpoint[];
  /** Resolves once this process serves all kinds that any server served before the call. */
  readonly catchUp: () => Promise<void>;
}

/** A quota as it is stored. */
interface StoredQuota {
  readonly version: Version;
  readonly quota: ApiObject;
}

/** Version above all others: the wait for it waits for every write in progress. */
const EVERY_WRITE = (1n << 62n) as Version;

/**
 * Counts the usage of the resources that a quota limits, concurrently with writes.
 *
 * A count begins with a version of the quota. Writes that know the quota give it a newer version if they change its
 * usage; writes that may not know it are waited for. So if the quota is still at that version when the count is
 * written, nothing has changed, and the reads of the resources at different times are consistent.
 */
export class QuotaCount {
  constructor(private readonly options: QuotaCountOptions) {}

  /** Reads a quota before it is counted; undefined if it is gone. */
  async find(key: Key): Promise<StoredQuota | undefined> {
    const { store, endpoint } = this.options;
    const row = await store.get(endpoint.type, key);
    return row && { version: row.version, quota: fromStored(row, endpoint) };
  }

  /** Returns the usage by name of the limited resource. */
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

  /**
   * Writes the counted usage; a quota that is gone counts as written.
   * @returns false if the quota has been written since
   */
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
      await client.update(target, change, settings).catch(ignoreMissing(endpoint, key.name));
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      throw error;
    }
  }
}
