import { conflict, notFound, STALE_WRITE, timeout } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import {
  Gatherer,
  type Refusal,
  type SetOutcome,
  type Store,
  StoreUnavailableError,
  UnreadableBodyError,
  UnsealableBodyError,
  type WriteOp,
} from '@orch/storage';
import { outcomeAfter } from './allocation-outcome.js';
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
/** Seconds after which a client may ask again. */
const RETRY_SECONDS = 1;

interface SharedUpdatesOptions extends PlanTools {
  readonly store: Store;
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
 * Lets the updates of one object take turns within this process, instead of meeting as conflicts of which one gets through
 * each time. Those that wait are applied upon each other, and travel to the database as one chain of writes: each is judged
 * on its own and gets a version of its own.
 */
export class SharedUpdates {
  readonly #lines = new Map<string, Gatherer<Turn, Written>>();

  constructor(
    private readonly options: SharedUpdatesOptions,
    private readonly alone: UpdateAlone,
  ) {}

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
  async #together(turns: readonly Turn[], verdicts: Map<Turn, Verdict>): Promise<Turn[]> {
    const [{ write }] = turns as [Turn];
    const { endpoint, key } = write.request;
    for (let attempt = 1; attempt <= WRITE_ATTEMPTS; attempt++) {
      const base = await this.options.store.get(endpoint.type, key);
      const chain = new Chain(base, this.options);
      let taken = 0;
      while (taken < turns.length && !chain.complete) await chain.add(turns[taken++] as Turn);
      if (!(await chain.commit(this.options.store))) {
        if (chain.refusal === 'accounts-changed') await this.options.quotas?.catchUp();
        if (chain.refusal !== 'exceeded') continue;
        // Which of them is too much, each for itself finds out.
        return this.#eachAlone(turns, verdicts);
      }
      for (const [turn, verdict] of chain.verdicts()) verdicts.set(turn, verdict);
      return turns.slice(taken);
    }
    for (const turn of turns) verdicts.set(turn, conflict(endpoint.groupResource, key.name, STALE_WRITE));
    return [];
  }

  async #eachAlone(turns: readonly Turn[], verdicts: Map<Turn, Verdict>): Promise<Turn[]> {
    for (const turn of turns) verdicts.set(turn, await this.alone(turn.write).catch(asError));
    return [];
  }

  /**
   * A database that is away, or a key, fails for those who were still to be written, not for those before them. Anything else may
   * be due to one of them, and nothing was written: each finds out for itself.
   */
  #failing(turns: readonly Turn[], verdicts: Map<Turn, Verdict>) {
    return (error: unknown): Turn[] | Promise<Turn[]> => {
      if (!isOfAll(error)) return this.#eachAlone(turns, verdicts);
      for (const turn of turns) verdicts.set(turn, error);
      return [];
    };
  }
}

/** Updates made upon each other, beginning with what was read. */
class Chain {
  #bytes = 0;
  readonly #plans: WritePlan[] = [];
  readonly #ops: WriteOp[] = [];
  /** Index of the own operation of each plan among all operations. */
  readonly #places: number[] = [];
  readonly #judged: [turn: Turn, verdict: Error | { readonly plans: number }][] = [];
  #outcome: SetOutcome | undefined;
  #current: Stored | undefined;

  constructor(
    private readonly base: Stored | undefined,
    private readonly tools: PlanTools,
  ) {
    this.#current = base;
  }

  /**
   * Whether nothing more is added: it is long enough, or its last update changes claims. One upon that would take anew
   * what is given up only once the chain is written, or give up what the object holds if it is not.
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
    const { endpoint, key } = write.request;
    if (!this.#current) return notFound(endpoint.groupResource, key.name);
    const plan = await planWrite(write, this.#current, this.tools);
    if (plan.ops.length === 0) return undefined;
    this.#places.push(this.#ops.length);
    this.#ops.push(...plan.ops);
    this.#plans.push(plan);
    this.#bytes += plan.written.body.length;
    this.#current = plan.removed ? undefined : { ...plan.written, version: UNWRITTEN };
    return undefined;
  }

  /** @returns false when the base was overtaken, and nothing was written */
  async commit(store: Store): Promise<boolean> {
    if (this.#ops.length === 0) return true;
    try {
      this.#outcome = await store.writeSet(this.#ops);
    } catch (error) {
      await this.#conclude(outcomeAfter(error));
      throw error;
    }
    const committed = this.#outcome.outcome === 'committed';
    await this.#conclude(committed ? 'kept' : 'dropped');
    return committed;
  }

  /** Why nothing was written. */
  get refusal(): Refusal['outcome'] | undefined {
    return this.#outcome?.outcome === 'refused' ? this.#outcome.refusal.outcome : undefined;
  }

  /** Returns the result of each update: the object as written, or the state before it where it changed nothing. */
  verdicts(): [Turn, Verdict][] {
    return this.#judged.map(([turn, verdict]) => [
      turn,
      verdict instanceof Error ? verdict : this.#after(verdict.plans),
    ]);
  }

  #after(plans: number): Written {
    const plan = this.#plans[plans - 1];
    const version =
      this.#outcome?.outcome === 'committed' ? this.#outcome.versions[this.#places[plans - 1] ?? 0] : undefined;
    if (!plan || version === undefined) return { stored: this.base as Stored, created: false, removed: false };
    return { stored: { ...plan.written, version }, created: false, removed: plan.removed };
  }

  async #conclude(fate: Parameters<WritePlan['conclude']>[0]): Promise<void> {
    for (const plan of this.#plans) await plan.conclude(fate);
  }
}

const isOfAll = (error: unknown): error is Error =>
  error instanceof StoreUnavailableError ||
  error instanceof UnsealableBodyError ||
  error instanceof UnreadableBodyError;
const timedOut = () => timeout('the object is being changed by too many others', RETRY_SECONDS);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
