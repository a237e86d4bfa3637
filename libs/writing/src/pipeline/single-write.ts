import { conflict, notFound, STALE_WRITE, StatusError, timeout } from '@orch/machinery';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, metadataOf, type Stored } from '@orch/resources';
import type { ObjectStore, WriteRefusal } from '@orch/storage';
import type { Attempts } from './attempts.js';
import { checkTime } from './check-time.js';
import type { Attempt, Committer } from './committer.js';
import { beingDeleted, createError } from './create-error.js';
import { triedCreation } from './dry-run.js';
import type { WritePlan } from './planned-write.js';
import type { RequestedWrite } from './requested-write.js';
import { type PlanTools, planWrite } from './write-plan.js';
import { CALLING_ATTEMPTS, WRITE_ATTEMPTS, type Written } from './write-request.js';

/** Dependencies of {@link SingleWrite}. */
export interface SingleWriteTools extends PlanTools {
  /** Store that later attempts and dry runs read from. */
  readonly store: ObjectStore;
  /** Commits the plans. */
  readonly committer: Committer;
  /** Reads the object for the first attempt. */
  readonly reader: ObjectReader;
  /** Endpoint of namespaces, for dry runs to check that one exists. */
  readonly namespaces: Endpoint;
}

/** Attempts at a name that is generated. */
const NAME_ATTEMPTS = 5;
/** Seconds after which a client may retry. */
const RETRY_SECONDS = 1;

/** The stored object that an attempt starts from. */
interface Base {
  readonly stored: Stored | undefined;
  /** Read after the request came, not what memory had: only that decides against a request. */
  readonly fresh: boolean;
}

const NOTHING: Base = { stored: undefined, fresh: true };

/** Attempts at a write of a single object. */
export class SingleWrite implements Attempts<Written> {
  /** Most attempts: few where something outside is called in each of them. */
  readonly most: number;
  #base: Base | undefined;
  /** Why the last attempt was refused upon a base that may have been old: holds if it turns out that it was not. */
  #refused: StatusError | undefined;
  /** Response, if nothing had to be written and the base turns out not to have been old. */
  #unwritten: Written | undefined;
  /** Error that is answered if no attempt follows; default a conflict. */
  #failure: StatusError | undefined;

  constructor(
    private readonly write: RequestedWrite,
    private readonly tools: SingleWriteTools,
  ) {
    this.most = write.callsOut ? CALLING_ATTEMPTS : write.make.change ? WRITE_ATTEMPTS : NAME_ATTEMPTS;
  }

  /**
   * Plans the write upon the stored object and commits it.
   * @returns undefined where that was overtaken, or where only a fresh base may decide
   * @throws StatusError, StoreUnavailableError
   */
  async attempt(): Promise<Written | undefined> {
    const { request, make } = this.write;
    const last = this.#base;
    const reading = last ? this.#freshBase() : this.#firstBase();
    const base = reading instanceof Promise ? await reading : reading;
    if (last && isSame(base, last)) {
      if (this.#refused) throw this.#refused;
      if (this.#unwritten) return this.#unwritten;
    }
    this.#begin(base);
    checkTime(request);
    if (!base.stored && !make.create) throw notFound(request.endpoint.groupResource, request.key.name);
    let plan: WritePlan;
    try {
      plan = await planWrite(this.write, base.stored, this.tools);
    } catch (error) {
      if (base.fresh || !(error instanceof StatusError)) throw error;
      this.#refused = error;
      return undefined;
    }
    return this.#carryOut(plan, base);
  }

  #begin(base: Base): void {
    this.#base = base;
    this.#refused = undefined;
    this.#unwritten = undefined;
    this.#failure = undefined;
  }

  /** Refuses the write after the last attempt. @throws StatusError 409, 504 */
  overtaken(): never {
    const { endpoint, key } = this.write.request;
    throw this.#failure ?? conflict(endpoint.groupResource, key.name, STALE_WRITE);
  }

  /** Starts from the cached object, except where something outside will be called: then from the database. */
  #firstBase(): Base | Promise<Base> {
    const { request, make, callsOut } = this.write;
    if (!make.change) return NOTHING;
    const { endpoint, key, hints } = request;
    const hint = callsOut ? undefined : (hints?.found ?? this.tools.reader.hint(endpoint.type, key));
    if (hint) return { stored: hint, fresh: false };
    return this.tools.reader.current(endpoint.type, key).then(freshly);
  }

  #freshBase(): Base | Promise<Base> {
    const { request, make } = this.write;
    return make.change ? this.tools.store.get(request.endpoint.type, request.key).then(freshly) : NOTHING;
  }

  async #carryOut(plan: WritePlan, { stored: base, fresh }: Base): Promise<Written | undefined> {
    const { request } = this.write;
    const { caller, options } = request;
    const { answer, removed } = plan;
    const unwritten = plan.ops.length === 0 ? { stored: answer, created: false, removed } : undefined;
    // An answer without a write would not have failed for a stale base.
    if (!fresh && (options.dryRun || unwritten)) {
      this.#unwritten = unwritten;
      return undefined;
    }
    if (unwritten) return unwritten;
    const outcome = await (options.dryRun ? this.#tried(plan) : this.tools.committer.attempt([plan], [caller]));
    if (outcome.outcome === 'committed') {
      const [version = plan.written.version] = outcome.versions;
      return { stored: { ...answer, version }, created: !base, removed };
    }
    if (!base) this.#failure = await this.#whyNotCreated(plan, outcome);
    return undefined;
  }

  /** Outcome of a dry run. */
  async #tried({ ops: [own], written: { version } }: WritePlan): Promise<Attempt> {
    if (own?.op !== 'create') return { outcome: 'committed', versions: [version] };
    const tried = await triedCreation(this.tools.store, this.tools.namespaces, own);
    return tried.outcome === 'committed' ? { outcome: 'committed', versions: [tried.version] } : tried;
  }

  /**
   * Finds out why a creation failed.
   * @returns an error after which it may be retried: another name may be free, or the object that another client has
   * made can be changed.
   * @throws StatusError for the others
   */
  async #whyNotCreated({ wanted: { metadata = {} } }: WritePlan, refusal: WriteRefusal): Promise<StatusError> {
    const { request, make } = this.write;
    const { endpoint, key } = request;
    // Of quotas that were exceeded only those come here that have been counted since.
    if (refusal.outcome === 'accounts-changed' || refusal.outcome === 'exceeded') return quotasChange(endpoint);
    const failure = createError(endpoint, key.namespace, metadata, refusal);
    if (refusal.outcome !== 'already-exists') throw failure;
    if (key.name === '' || make.change !== undefined) return failure;
    const found = await this.tools.store.get(endpoint.type, key).then(isTerminating, () => false);
    throw found ? beingDeleted(failure) : failure;
  }
}

const freshly = (stored: Stored | undefined): Base => ({ stored, fresh: true });

/** The 504 error for a creation whose every attempt was planned with outdated quotas. */
const quotasChange = ({ definition }: Endpoint): StatusError =>
  timeout(`quotas of the namespace change too often to create ${definition.resource} in it`, RETRY_SECONDS);

/** Whether an object is being deleted; false for one that cannot be read, which exists all the same. */
function isTerminating(stored: Stored | undefined): boolean {
  try {
    return stored !== undefined && metadataOf(stored.body).deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}

const isSame = ({ stored: a }: Base, { stored: b }: Base): boolean =>
  a !== undefined && b !== undefined && a.version === b.version && a.body.equals(b.body);
