import type { Allocators } from '@orch/kinds';
import { type ApiObject, conflict, notFound, STALE_WRITE, StatusError } from '@orch/machinery';
import type { Store } from '@orch/storage';
import type { Endpoint, Stored } from '../endpoint.js';
import type { ObjectReader } from '../reading/object-reader.js';
import { fateAfter } from './allocation-fate.js';
import type { ObjectLimits } from './object-checks.js';
import { ObjectCreator } from './object-creator.js';
import { SharedUpdates } from './shared-updates.js';
import { planRemoval, planUpdate, type UpdatePlan } from './update-plan.js';
import { type Change, type Updated, WRITE_ATTEMPTS, type WriteRequest } from './write-request.js';

export interface WriterOptions {
  readonly store: Store;
  readonly reader: ObjectReader;
  /** Where namespaces are, for dry runs to look whether one is there. */
  readonly namespaces: Endpoint;
  /** Addresses and ports that objects may be given. */
  readonly allocators: Allocators;
  readonly limits: ObjectLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that an update waits for others of the same object. */
  readonly patience: number;
}

/** default → prepare → validate → store: the part of the pipeline that every modifying verb shares. */
export class ObjectWriter {
  readonly #creator: ObjectCreator;
  readonly #shared: SharedUpdates;

  constructor(private readonly options: WriterOptions) {
    this.#creator = new ObjectCreator(options);
    this.#shared = new SharedUpdates(options, (request, change) => this.#update(request, change));
  }

  /**
   * @param object decoded, in the version that the endpoint serves; owned by the writer from here on
   * @throws StatusError 409, 422, 404 for a missing namespace, 403 for one that is going away
   */
  create(request: WriteRequest, object: ApiObject): Promise<Stored> {
    return this.#creator.create(request, object);
  }

  /**
   * Reads, changes and writes back; tries again when overtaken, unless the changed object names a version itself. Updates
   * of one object that name none take turns.
   * @throws StatusError 404, 409, 422; 504 when its turn does not come in time
   */
  update(request: WriteRequest, change: Change): Promise<Updated> {
    if (request.dryRun || request.namesVersion) return this.#update(request, change);
    return this.#shared.update(request, change);
  }

  /** Writes the last state of an object out of existence; `stale` when it was overtaken. */
  async remove(request: WriteRequest, current: Stored, last: ApiObject): Promise<Stored | 'stale'> {
    const removed = await this.#carryOut(request, planRemoval(request, current, last, this.options.allocators));
    return removed === 'stale' ? 'stale' : removed.stored;
  }

  async #update(request: WriteRequest, change: Change): Promise<Updated> {
    const { endpoint, key } = request;
    const { reader, store } = this.options;
    let base = reader.hint(endpoint.type, key);
    let fresh = base === undefined;
    base ??= await reader.current(endpoint.type, key);
    for (let attempt = 1; ; attempt++) {
      if (!base) throw notFound(endpoint.groupResource, key.name);
      const result = await this.#updateOnce(request, base, change).catch((error: unknown) => {
        // What memory had may be behind: only the newest state decides against a request.
        if (fresh || !(error instanceof StatusError)) throw error;
        return 'stale' as const;
      });
      // An answer without a write would not have failed for a stale base.
      const doubtful = !fresh && typeof result === 'object' && (request.dryRun || result.stored === base);
      if (!doubtful && result !== 'stale' && result !== 'named-other-version') return result;
      if (fresh && (result === 'named-other-version' || attempt >= WRITE_ATTEMPTS)) {
        throw conflict(endpoint.groupResource, key.name, STALE_WRITE);
      }
      base = await store.get(endpoint.type, key);
      fresh = true;
    }
  }

  async #updateOnce(request: WriteRequest, base: Stored, change: Change) {
    const plan = await planUpdate(request, base, change, this.options);
    return plan === 'named-other-version' ? plan : this.#carryOut(request, plan);
  }

  async #carryOut({ endpoint, key }: WriteRequest, plan: UpdatePlan): Promise<Updated | 'stale'> {
    const { op, stored, removed } = plan;
    if (!op) return { stored, removed };
    const outcome = await this.options.store.write(op).catch(async (error: unknown) => {
      await plan.conclude(fateAfter(error));
      throw error;
    });
    await plan.conclude(outcome.outcome === 'committed' ? 'kept' : 'dropped');
    if (outcome.outcome === 'committed') return { stored: { version: outcome.version, body: stored.body }, removed };
    if (outcome.outcome === 'not-found' && removed) throw notFound(endpoint.groupResource, key.name);
    return 'stale';
  }
}
