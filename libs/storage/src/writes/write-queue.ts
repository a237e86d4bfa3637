import { BusyStoreError, StoreUnavailableError } from '../face/errors.js';
import type { TypeId } from '../face/key.js';
import type { WriteOp } from '../face/store.js';
import { ByRounds } from '../maintenance/by-rounds.js';

/** Writes that are committed together: a single one, or a set. */
export interface Unit {
  readonly ops: readonly WriteOp[];
  /** Types of its writes, ascending, each once. */
  readonly types: readonly TypeId[];
  readonly bytes: number;
  /** Time of arrival, monotonic ms. */
  readonly since: number;
}

/** Outcome of a batch: for each unit its result, an error, or undefined when it needs a lane that was not available. */
export type Verdicts<R> = readonly (R | Error | undefined)[];

interface WriteQueueOptions {
  /** Writes of a batch at most; a larger set goes alone. */
  readonly items: number;
  /** Bytes of a batch at most; a larger unit goes alone. */
  readonly bytes: number;
  /** Units that may wait; more are refused at once. */
  readonly waiting: number;
  /** Bytes that may wait, those in progress among them; more are refused at once, unless nothing else waits. */
  readonly waitingBytes: number;
  /** Milliseconds after which waiting calls fail when a batch finds the database unavailable. Default: never. */
  readonly patience?: number;
}

/**
 * Carries out a batch once it has a connection and lanes, and takes the units that have arrived by that time.
 * @param wait whether to wait for lanes as long as it takes, or to leave units undecided that need one that is not free
 * by then
 */
type RunBatch<R> = (wait: boolean, take: () => readonly Unit[]) => Promise<Verdicts<R>>;

interface Entry<R> {
  readonly unit: Unit;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Units that wait for the same lanes, in order of arrival. */
interface Line<R> {
  readonly key: string;
  readonly types: readonly TypeId[];
  entries: Entry<R>[];
}

/**
 * Forms batches of writes. Writes that arrive while one is in progress gather for the next, with no timer: a lone write
 * never waits for others. A batch of many types waits for their lanes only as long as another server's batch takes;
 * units that come back undecided wait in a batch of their own types alone, so that a lane held by another session
 * delays only its type. One batch of each type is in progress at a time.
 */
export class WriteQueue<R> {
  /** Lines in which a unit waits or is in progress, the next one to run first. */
  readonly #lines = new Map<string, Line<R>>();
  /** Lines whose lanes were held for too long: they wait there, until they get them. */
  readonly #contended = new Set<string>();
  readonly #underWay = new Set<TypeId>();
  #trying = false;
  #waiting = 0;
  #waitingBytes = 0;
  #scheduled = false;
  #drained: (() => void)[] = [];
  /** Settles decided units. */
  readonly #decided = new ByRounds();

  constructor(
    private readonly run: RunBatch<R>,
    private readonly options: WriteQueueOptions,
  ) {}

  add(unit: Unit): Promise<R> {
    const tooMuch = this.#waiting > 0 && this.#waitingBytes + unit.bytes > this.options.waitingBytes;
    if (tooMuch || this.#waiting >= this.options.waiting) {
      return Promise.reject(new BusyStoreError());
    }
    return new Promise((resolve, reject) => {
      this.#count([unit], 1);
      this.#lineOf(unit.types).entries.push({ unit, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing is in progress or waiting. */
  async drained(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
    await this.#decided.drained();
  }

  /** @param by 1 for arriving units, -1 for leaving ones */
  #count(units: readonly Unit[], by: 1 | -1): void {
    this.#waiting += by * units.length;
    for (const { bytes } of units) this.#waitingBytes += by * bytes;
  }

  #lineOf(types: readonly TypeId[]): Line<R> {
    const key = types.join();
    const line = this.#lines.get(key) ?? { key, types, entries: [] };
    this.#lines.set(key, line);
    return line;
  }

  /** At the end of the turn of the event loop, so that writes of one turn, from any connection, share a batch. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#begin();
    });
  }

  /** Begins all possible batches: a line whose types are in use keeps its place, and those behind it wait. */
  #begin(): void {
    const taken = new Set(this.#underWay);
    const free: Line<R>[] = [];
    for (const line of this.#lines.values()) {
      const blocked = line.entries.length === 0 || line.types.some((type) => taken.has(type));
      if (line.entries.length > 0) for (const type of line.types) taken.add(type);
      if (blocked) continue;
      if (this.#contended.has(line.key)) void this.#carryOut([line], true);
      else if (!this.#trying) free.push(line);
    }
    if (free.length === 0) return;
    this.#trying = true;
    void this.#carryOut(free, false);
  }

  async #carryOut(lines: readonly Line<R>[], wait: boolean): Promise<void> {
    for (const { types } of lines) for (const type of types) this.#underWay.add(type);
    let batch: [line: Line<R>, entry: Entry<R>][] = [];
    const take = () => {
      batch = this.#take(lines);
      return batch.map(([, { unit }]) => unit);
    };
    try {
      const verdicts = await this.run(wait, take);
      if (wait && !verdicts.every((verdict) => verdict instanceof Error)) this.#contended.delete(lines[0]?.key ?? '');
      this.#settle(batch, verdicts);
      if (verdicts.every((verdict) => verdict instanceof StoreUnavailableError)) this.#giveUp(lines, verdicts[0]);
    } catch (error) {
      if (batch.length === 0) take();
      for (const [, entry] of batch) this.#decided.call(() => entry.reject(error));
      if (error instanceof StoreUnavailableError) this.#giveUp(lines, error);
    }
    if (!wait) this.#trying = false;
    this.#count(
      batch.map(([, { unit }]) => unit),
      -1,
    );
    this.#release(lines, new Set(batch.map(([line]) => line)));
    this.#schedule();
  }

  #settle(batch: readonly [Line<R>, Entry<R>][], verdicts: Verdicts<R>): void {
    const undecided = new Map<Line<R>, Entry<R>[]>();
    batch.forEach(([line, entry], i) => {
      const result = verdicts[i];
      if (result instanceof Error) this.#decided.call(() => entry.reject(result));
      else if (result !== undefined) this.#decided.call(() => entry.resolve(result));
      else undecided.set(line, [...(undecided.get(line) ?? []), entry]);
    });
    for (const [line, entries] of undecided) {
      this.#count(
        entries.map(({ unit }) => unit),
        1,
      );
      this.#contended.add(line.key);
      line.entries = [...entries, ...line.entries];
    }
  }

  /** Otherwise each batch would wait for an unavailable database in turn. None of their writes was sent. */
  #giveUp(lines: readonly Line<R>[], cause: unknown): void {
    const { patience = Number.POSITIVE_INFINITY } = this.options;
    for (const line of lines) {
      const recent = line.entries.findIndex(({ unit }) => performance.now() - unit.since < patience);
      const late = line.entries.splice(0, recent < 0 ? line.entries.length : recent);
      this.#count(
        late.map(({ unit }) => unit),
        -1,
      );
      for (const { reject } of late) {
        const why = new StoreUnavailableError('the database is not to be had', false, { cause });
        this.#decided.call(() => reject(why));
      }
    }
  }

  /** A line that was served and still has units goes behind the others; one for which there was no room does not. */
  #release(lines: readonly Line<R>[], served: ReadonlySet<Line<R>>): void {
    for (const line of lines) {
      for (const type of line.types) this.#underWay.delete(type);
      if (line.entries.length > 0 && !served.has(line)) continue;
      this.#lines.delete(line.key);
      if (line.entries.length > 0) this.#lines.set(line.key, line);
    }
    if (this.#lines.size === 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  #take(lines: readonly Line<R>[]): [Line<R>, Entry<R>][] {
    const batch: [Line<R>, Entry<R>][] = [];
    let bytes = 0;
    let items = 0;
    for (const line of lines) {
      let count = 0;
      for (const { unit } of line.entries) {
        bytes += unit.bytes;
        items += unit.ops.length;
        if (batch.length + count > 0 && (bytes > this.options.bytes || items > this.options.items)) break;
        count++;
      }
      const all = count === line.entries.length;
      for (const entry of line.entries.splice(0, count)) batch.push([line, entry]);
      if (!all) break;
    }
    return batch;
  }
}
