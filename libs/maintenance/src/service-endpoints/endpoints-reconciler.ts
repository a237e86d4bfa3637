import type { ApiObject, Names } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import { WorkOnDemand } from '@orch/runtime/work';
import type { ProcessLease } from '@orch/storage';
import { ignoreMissing, type ObjectRemover, serverItself, type WritePipeline } from '@orch/writing';
import { type ApiAddresses, writtenEndpoints, writtenSlice } from './written-endpoints.js';

/** Lifetime of a server's lease, and interval of its renewal, milliseconds. */
export const ADDRESS_MS = 15_000;
const RENEWAL_MS = 10_000;
/** Interval of retries if another process has the address: the predecessor of this one, which was killed. */
const RETRY_MS = 1_000;
const REST_MS = 100;

interface EndpointsReconcilerOptions {
  readonly names: Names;
  readonly port: number;
  /** Lease of this server, by its address. */
  readonly lease: ProcessLease;
  /** Returns the addresses of the live servers. @throws StoreUnavailableError */
  alive(): Promise<readonly string[]>;
  readonly pipeline: WritePipeline;
  readonly remover: Pick<ObjectRemover, 'remove'>;
  /** Endpoints in the storage versions; undefined if they are not served. */
  readonly endpoints: Endpoint | undefined;
  readonly slices: Endpoint | undefined;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

type Written = (current: ApiObject, addresses: ApiAddresses, names: Names) => ApiObject | undefined;

/**
 * Maintains Endpoints and EndpointSlice of the Service of the API itself: they hold the address of each server whose
 * lease is alive. Every server runs it, and writes only what differs.
 */
export class EndpointsReconciler {
  readonly #work: WorkOnDemand;

  constructor(private readonly options: EndpointsReconcilerOptions) {
    const { onError, clock } = options;
    this.#work = new WorkOnDemand(() => this.#round(), { onError, restMs: REST_MS, ...(clock && { clock }) });
  }

  /** Adds the own address now, and repairs the objects periodically. Returns at once. */
  start(): void {
    this.#work.ask();
  }

  /** Removes the own address, unless it is the last one, and stops. Never rejects. */
  async stop(): Promise<void> {
    await this.#work.stop();
    const { lease, onError } = this.options;
    await lease
      .giveBack()
      .then(() => this.#putRight())
      .catch(onError);
  }

  async #round(): Promise<void> {
    this.#work.askIn(RENEWAL_MS);
    if (!(await this.options.lease.take())) this.#work.askIn(RETRY_MS);
    await this.#putRight();
  }

  async #putRight(): Promise<void> {
    const { alive, port, endpoints, slices } = this.options;
    const addresses = [...(await alive())].sort();
    if (addresses.length === 0) return;
    if (endpoints) await this.#write(endpoints, { addresses, port }, writtenEndpoints);
    if (slices) await this.#write(slices, { addresses, port }, writtenSlice);
  }

  async #write(endpoint: Endpoint, addresses: ApiAddresses, written: Written): Promise<void> {
    const { pipeline, remover, names } = this.options;
    const key = { namespace: 'default', name: names.apiServiceName };
    const request = { operation: 'UPDATE', endpoint, key, subresource: '', caller: serverItself() } as const;
    const write = { ...request, options: { dryRun: false } };
    let isOther = false;
    const change = (current: ApiObject): ApiObject => {
      const wanted = written(current, addresses, names);
      isOther = wanted === undefined;
      return wanted ?? current;
    };
    const create = (): ApiObject => written({ metadata: { ...key } }, addresses, names) ?? { metadata: { ...key } };
    await pipeline.write(write, { create, change });
    if (!isOther) return;
    await remover.remove(endpoint, key, { dryRun: false }, serverItself()).catch(ignoreMissing(endpoint, key.name));
    await pipeline.write(write, { create, change });
  }
}
