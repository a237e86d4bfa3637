import type { Admission } from '@orch/admission';
import { conflict, notFound, STALE_WRITE, StatusError } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, metadataOf, type Stored } from '@orch/resources';
import type { DeleteOp, Key, Store, WriteOutcome } from '@orch/storage';
import { outcomeAfter } from './allocation-outcome.js';
import { checkTime } from './check-time.js';
import { commit } from './commit.js';
import { beingDeleted, createError } from './create-error.js';
import { triedCreation } from './dry-run.js';
import { GuardedCreation, takeBack } from './guarded-creation.js';
import type { WritePlan } from './planned-write.js';
import { heedQuotas, quotasChange } from './quota-outcome.js';
import { RequestedWrite } from './requested-write.js';
import { SharedUpdates } from './shared-updates.js';
import { type PlanTools, planWrite } from './write-plan.js';
import {
  CALLING_ATTEMPTS,
  type Modification,
  WRITE_ATTEMPTS,
  type WriteRequest,
  type Written,
} from './write-request.js';

interface PipelineOptions extends PlanTools {
  readonly store: Store;
  readonly admission: Admission;
  readonly reader: ObjectReader;
  /** Endpoint of namespaces, for dry runs to check that one exists. */
  readonly namespaces: Endpoint;
  /** Milliseconds that an update waits for others of the same object. */
  readonly patience: number;
}

/** Attempts at a name that is generated. */
const NAME_ATTEMPTS = 5;

/** The stored object that a write starts from. */
interface Base {
  readonly stored: Stored | undefined;
  /** Read after the request came, not what memory had: only that decides against a request. */
  readonly fresh: boolean;
}

/** A try that was overtaken, and what is answered if it was the last. */
interface Overtaken {
  failure(): StatusError;
  /** Why it was refused upon a base that may have been old: holds if it turns out that it was not. */
  readonly refused?: StatusError;
  /** Response, if that was the last attempt and nothing had to be written. */
  readonly unwritten?: Written;
}

/**
 * The one way to the store for objects: base → change → system fields → ownership → mutating admission → repair → escalation →
 * validate → rights to parameters → validating admission → quota → allocate → to storage → same? → store. Every verb, every subresource and every writer within the
 * server is a {@link Modification}; the stages are a table ({@link STAGES}).
 */
export class WritePipeline {
  readonly #shared: SharedUpdates;

  constructor(private readonly options: PipelineOptions) {
    this.#shared = new SharedUpdates(options, (write) => this.#alone(write));
  }

  /**
   * Makes a modification of one object. Tries again when it is overtaken, unless the changed object names a version itself.
   * Updates of one object that name none take turns, where nobody is asked who may call out.
   * @throws StatusError 400, 404, 409, 422; 403 from admission; 504 when its turn does not come in time
   * @throws StoreUnavailableError
   */
  async write(request: WriteRequest, make: Modification): Promise<Written> {
    const { beginCreation } = request.endpoint;
    if (!make.create || !beginCreation) return this.#write(request, make);
    const creating = new GuardedCreation(beginCreation, make.create);
    const create = () => creating.create();
    const written = await this.#write(request, { ...make, create }).finally(() => creating.end());
    if (!written.created || !creating.isTakenBack) return written;
    const { store } = this.options;
    const current = (key: Key) => store.get(request.endpoint.type, key);
    return takeBack({ current, remove: (op) => this.#removeAgain(request, op) }, request, written);
  }

  /**
   * Removes a created object again and releases its quota charges. It is of a custom kind, whose objects are counted
   * whatever they hold.
   */
  async #removeAgain({ endpoint, subresource }: WriteRequest, op: DeleteOp): Promise<WriteOutcome> {
    const { store, quotas } = this.options;
    const { namespace } = op;
    const gone = { endpoint, namespace, operation: 'DELETE', subresource, before: {}, after: undefined } as const;
    const outcome = await commit(store, [{ ...op, charging: quotas?.of(gone) }]);
    if (outcome.outcome === 'accounts-changed') await quotas?.catchUp();
    return outcome;
  }

  async #write(request: WriteRequest, make: Modification): Promise<Written> {
    const write = new RequestedWrite(request, make, this.options.admission);
    if (!this.#sharesTurns(write)) return this.#alone(write);
    try {
      return await this.#shared.update(write);
    } catch (error) {
      if (make.create && error instanceof StatusError && error.code === 404) return this.#alone(write);
      throw error;
    }
  }

  #sharesTurns(write: RequestedWrite): boolean {
    const { operation, options, hints } = write.request;
    return operation === 'UPDATE' && !options.dryRun && !hints?.namesVersion && !write.callsOut;
  }

  async #alone(write: RequestedWrite): Promise<Written> {
    const { request, make, callsOut } = write;
    const attempts = callsOut ? CALLING_ATTEMPTS : make.change ? WRITE_ATTEMPTS : NAME_ATTEMPTS;
    let base = await this.#firstBase(request, make, callsOut);
    for (let attempt = 1; ; attempt++) {
      checkTime(request);
      const tried = await this.#try(write, base);
      if ('stored' in tried) return tried;
      if (attempt >= attempts) throw tried.failure();
      const fresh = await this.#freshBase(request, make);
      if (tried.refused && isSame(fresh, base)) throw tried.refused;
      if (tried.unwritten && isSame(fresh, base)) return tried.unwritten;
      base = fresh;
    }
  }

  /** Starts from the cached object, except where a webhook will be called: then from the database. */
  async #firstBase(request: WriteRequest, make: Modification, callsOut: boolean): Promise<Base> {
    const { endpoint, key, hints } = request;
    if (!make.change) return NOTHING;
    const hint = callsOut ? undefined : (hints?.found ?? this.options.reader.hint(endpoint.type, key));
    if (hint) return { stored: hint, fresh: false };
    return { stored: await this.options.reader.current(endpoint.type, key), fresh: true };
  }

  async #freshBase({ endpoint, key }: WriteRequest, make: Modification): Promise<Base> {
    return make.change ? { stored: await this.options.store.get(endpoint.type, key), fresh: true } : NOTHING;
  }

  async #try(write: RequestedWrite, { stored: base, fresh }: Base): Promise<Written | Overtaken> {
    const { request, make } = write;
    const { endpoint, key } = request;
    if (!base && !make.create) throw notFound(endpoint.groupResource, key.name);
    const overtaken = { failure: () => conflict(endpoint.groupResource, key.name, STALE_WRITE) };
    let plan: WritePlan;
    try {
      plan = await planWrite(write, base, this.options);
    } catch (error) {
      if (fresh || !(error instanceof StatusError)) throw error;
      return { ...overtaken, refused: error };
    }
    const { answer: stored, removed } = plan;
    const unwritten = plan.ops.length === 0 ? { stored, created: false, removed } : undefined;
    // An answer without a write would not have failed for a stale base.
    if (!fresh && (request.options.dryRun || unwritten)) return { ...overtaken, ...(unwritten && { unwritten }) };
    if (unwritten) return unwritten;
    const outcome = await this.#carryOut(request, plan);
    if (outcome.outcome === 'committed')
      return { stored: { ...stored, version: outcome.version }, created: !base, removed };
    return base ? overtaken : this.#whyNotCreated(request, plan, make, outcome);
  }

  async #carryOut(request: WriteRequest, plan: WritePlan): Promise<WriteOutcome> {
    const { store, namespaces } = this.options;
    const [own] = plan.ops;
    if (request.options.dryRun) {
      if (own?.op === 'create') return triedCreation(store, namespaces, own);
      return { outcome: 'committed', version: plan.written.version };
    }
    let outcome: WriteOutcome;
    try {
      // Whoever was asked meanwhile may have taken long.
      checkTime(request);
      outcome = await commit(store, plan.ops);
    } catch (error) {
      await plan.conclude(outcomeAfter(error));
      throw error;
    }
    await plan.conclude(outcome.outcome === 'committed' ? 'kept' : 'dropped');
    await heedQuotas(this.options.quotas, outcome, request.endpoint, own);
    return outcome;
  }

  /** @returns that it may be tried again: another name may be free, or what somebody else has made can be changed */
  async #whyNotCreated(
    { endpoint, key }: WriteRequest,
    { wanted: { metadata = {} } }: WritePlan,
    make: Modification,
    outcome: WriteOutcome,
  ): Promise<Overtaken> {
    // Of quotas that were exceeded only those come here that have been counted since.
    if (outcome.outcome === 'accounts-changed' || outcome.outcome === 'exceeded')
      return { failure: () => quotasChange(endpoint) };
    const failure = createError(endpoint, key.namespace, metadata, outcome);
    if (outcome.outcome !== 'already-exists') throw failure;
    if (key.name === '' || make.change !== undefined) return { failure: () => failure };
    const found = await this.options.store.get(endpoint.type, key).then(isTerminating, () => false);
    throw found ? beingDeleted(failure) : failure;
  }
}

/** An object that cannot be read is there all the same. */
function isTerminating(stored: Stored | undefined): boolean {
  try {
    return stored !== undefined && metadataOf(stored.body).deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}

const isSame = ({ stored: a }: Base, { stored: b }: Base): boolean =>
  a !== undefined && b !== undefined && a.version === b.version && a.body.equals(b.body);

const NOTHING: Base = { stored: undefined, fresh: true };
