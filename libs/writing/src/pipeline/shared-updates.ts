import { conflict, notFound, STALE_WRITE, timeout } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import {
  Gatherer,
  type ObjectStore,
  StoreUnavailableError,
  UnreadableBodyError,
  UnsealableBodyError,
  type Version,
} from '@orch/storage';
import { untilNotOvertaken } from './attempts.js';
import type { Caller } from './caller.js';
import { checkTime } from './check-time.js';
import type { Committer } from './committer.js';
import type { WritePlan } from './planned-write.js';
import type { RequestedWrite } from './requested-write.js';
import { type PlanTools, planWrite } from './write-plan.js';
import { UNWRITTEN, WRITE_ATTEMPTS, type Written } from './write-request.js';

/** Updates of one object that are made upon each other and committed together. */
const TOGETHER = 64;
/** Bytes of bodies after which no more are added to them. */
const TOGETHER_BYTES = 1 << 20;
/** Updates of one object that may wait. */
const WAITING = 2_000;
/** Seconds after which a client may retry. */
const RETRY_SECONDS = 1;

interface SharedUpdatesOptions extends PlanTools {
  readonly store: ObjectStore;
  readonly committer: Committer;
  /** Milliseconds that an update waits for others of the same object. */
  readonly patience: number;
}

interface Turn {
  readonly write: RequestedWrite;
  /** Monotonic ms of its coming. */
  readonly since: number;
}

type Verdict = Written | Error;
type UpdateAlone = (write: RequestedWrite) => Promise<Written>;

/**
 * Serializes updates of one object within this process, which would otherwise conflict, with one succeeding each time.
 * Those that wait are applied one upon the other and committed as one chain of writes: each is validated on its own and
 * gets its own version.
 */
export class SharedUpdates {
  readonly #lines = new Map<string, Gatherer<Turn, Written>>();

  constructor(
    private readonly options: SharedUpdatesOptions,
    private readonly alone: UpdateAlone,
  ) {}

  /** Applies an update in its turn. @throws StatusError, StoreUnavailableError */
  async update(write: RequestedWrite): Promise<Written> {
    const { endpoint, key } = write.request;
    const name = `${endpoint.type}/${key.namespace}/${key.name}`;
    const line = this.#lines.get(name) ?? this.#openLine(name);
    try {
      return await line.add({ write, since: performance.now() });
    } finally {
      // Another line may be open under the name by now.
      if (line.idle && this.#lines.get(name) === line) this.#lines.delete(name);
    }
  }

  #openLine(name: string): Gatherer<Turn, Written> {
    const limits = { items: TOGETHER, bytes: Number.POSITIVE_INFINITY, sizeOf: () => 0, waiting: WAITING };
    const line = new Gatherer<Turn, Written>((turns) => this.#take(turns), limits);
    this.#lines.set(name, line);
    return line;
  }

  async #take(turns: readonly Turn[]): Promise<readonly Verdict[]> {
    const verdicts = new Map<Turn, Verdict>();
    const late = performance.now() - this.options.patience;
    let rest = turns.filter((turn) => {
      if (turn.since < late) verdicts.set(turn, timedOut());
      return turn.since >= late;
    });
    const [only] = rest;
    if (only && rest.length === 1) verdicts.set(only, await this.alone(only.write).catch(asError));
    else {
      while (rest.length > 0) rest = await this.#together(rest, verdicts).catch(this.#failing(rest, verdicts));
    }
    return turns.map((turn) => verdicts.get(turn) as Verdict);
  }

  /** Carries out as many as fit one chain. @returns the others */
  #together(turns: readonly Turn[], verdicts: Map<Turn, Verdict>): Promise<Turn[]> {
    const [{ write }] = turns as [Turn];
    const { endpoint, key } = write.request;
    return untilNotOvertaken({
      most: WRITE_ATTEMPTS,
      attempt: () => this.#attempt(turns, verdicts),
      overtaken() {
        for (const turn of turns) verdicts.set(turn, conflict(endpoint.groupResource, key.name, STALE_WRITE));
        return [];
      },
    });
  }

  /** @returns the updates that did not fit; undefined when the chain was overtaken */
  async #attempt(turns: readonly Turn[], verdicts: Map<Turn, Verdict>): Promise<Turn[] | undefined> {
    const [{ write }] = turns as [Turn];
    const { endpoint, key } = write.request;
    const chain = new Chain(await this.options.store.get(endpoint.type, key), this.options);
    let taken = 0;
    while (taken < turns.length && !chain.complete) await chain.add(turns[taken++] as Turn);
    if (!(await chain.commit(this.options.committer))) return undefined;
    for (const [turn, verdict] of chain.verdicts()) verdicts.set(turn, verdict);
    return turns.slice(taken);
  }

  async #eachAlone(turns: readonly Turn[], verdicts: Map<Turn, Verdict>): Promise<Turn[]> {
    for (const turn of turns) verdicts.set(turn, await this.alone(turn.write).catch(asError));
    return [];
  }

  /**
   * Handles an error of the chain. An unavailable database or key service fails the updates still to be written, not
   * those before them. Any other error (an exceeded quota, a client that has given up) may be due to one of them, and
   * nothing was written: each is tried alone.
   */
  #failing(turns: readonly Turn[], verdicts: Map<Turn, Verdict>) {
    return (error: unknown): Turn[] | Promise<Turn[]> => {
      if (!isOfAll(error)) return this.#eachAlone(turns, verdicts);
      for (const turn of turns) verdicts.set(turn, error);
      return [];
    };
  }
}

/** Updates applied one upon the other, beginning with the stored object. */
class Chain {
  #bytes = 0;
  readonly #plans: WritePlan[] = [];
  /** Caller of each plan. */
  readonly #callers: Caller[] = [];
  readonly #judged: [turn: Turn, verdict: Error | { readonly plans: number }][] = [];
  /** Version that each plan made. */
  #versions: readonly Version[] = [];
  #current: Stored | undefined;

  constructor(
    private readonly base: Stored | undefined,
    private readonly tools: PlanTools,
  ) {
    this.#current = base;
  }

  /**
   * Whether no update can be added: the chain is long enough, or its last update changes claims. A further one would
   * claim again values that are freed only once the chain is written, or free values that the object still holds if it
   * is not.
   */
  get complete(): boolean {
    const last = this.#plans.at(-1);
    return this.#bytes >= TOGETHER_BYTES || last?.changesClaims === true;
  }

  async add(turn: Turn): Promise<void> {
    const error = await this.#plan(turn).catch(asError);
    this.#judged.push([turn, error ?? { plans: this.#plans.length }]);
  }

  async #plan({ write }: Turn): Promise<Error | undefined> {
    const { endpoint, key, caller } = write.request;
    checkTime({ caller });
    if (!this.#current) return notFound(endpoint.groupResource, key.name);
    const plan = await planWrite(write, this.#current, this.tools);
    if (plan.ops.length === 0) return undefined;
    this.#plans.push(plan);
    this.#callers.push(caller);
    this.#bytes += plan.written.body.length;
    this.#current = plan.removed ? undefined : { ...plan.written, version: UNWRITTEN };
    return undefined;
  }

  /** @returns false when the base was overtaken, and nothing was written */
  async commit(committer: Committer): Promise<boolean> {
    if (this.#plans.length === 0) return true;
    const outcome = await committer.attempt(this.#plans, this.#callers);
    if (outcome.outcome !== 'committed') return false;
    this.#versions = outcome.versions;
    return true;
  }

  /** Returns the result of each update: the object as written, or the state before it where it changed nothing. */
  verdicts(): [Turn, Verdict][] {
    return this.#judged.map(([turn, verdict]) => [
      turn,
      verdict instanceof Error ? verdict : this.#after(verdict.plans),
    ]);
  }

  #after(plans: number): Written {
    const [plan, version] = [this.#plans[plans - 1], this.#versions[plans - 1]];
    if (!plan || version === undefined) return { stored: this.base as Stored, created: false, removed: false };
    return { stored: { ...plan.written, version }, created: false, removed: plan.removed };
  }
}

const isOfAll = (error: unknown): error is Error =>
  error instanceof StoreUnavailableError ||
  error instanceof UnsealableBodyError ||
  error instanceof UnreadableBodyError;
const timedOut = () => timeout('the object is being changed by too many others', RETRY_SECONDS);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
