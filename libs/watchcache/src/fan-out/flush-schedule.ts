import type { Clock } from '@orch/runtime/clock';
import type { FanOutOptions } from './fan-out-options.js';
import type { Audience, Cohort, Flushed } from './watcher.js';

/** Bytes gathered for a cohort at which it is flushed at once. */
const FULL = 256 << 10;
/** Same for a cohort of few watchers: while they do not read, its joined bytes are memory for them alone. */
const FULL_OF_FEW = 32 << 10;
const FEW = 8;

/** Milliseconds to ingest a change, with everything that led to it, rounded up. */
const INGESTION = 0.4;

/** Milliseconds of flushes in one turn of the event loop. */
const BUDGET = 1;

/**
 * When an audience may be flushed again, in monotonic ms: half as long after its last flush as that took, which leaves
 * a third of the time for other work; or as long as it takes to ingest as many changes as that delivered, up to half of
 * the time. Changes meanwhile go out together. Work between its cohorts counts as time for other work.
 */
export function dueAfter(
  { began, took, events }: Flushed,
  watchers: number,
  { maxGather, watchersPerGatherMs }: Gathering,
): number {
  const least = Math.floor(watchers / watchersPerGatherMs);
  const others = Math.min(took, Math.max(took / 2, INGESTION * events));
  return began + took + Math.min(maxGather, Math.max(least, Math.floor(others)));
}

/** The related options of `FanOutOptions`. */
type Gathering = Pick<Required<FanOutOptions>, 'maxGather' | 'watchersPerGatherMs'>;

/** A flush of an audience that is due or in progress. */
interface Round {
  /** Monotonic ms; undefined before the first cohort. */
  began: number | undefined;
  /** Number of the next cohort. */
  turn: number;
  took: number;
  events: number;
}

/**
 * Schedules writing gathered events. A small audience is flushed in the next turn of the event loop. A large one, whose
 * flush is costly, is flushed at most once in a few milliseconds, though an event after a pause does not wait; and
 * cohort by cohort, each with all events that have arrived by then, with other work running in between.
 */
export class FlushSchedule {
  readonly #rounds = new Map<Audience, Round>();
  #soon = false;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly gathering: Gathering,
    private readonly flush: (cohort: Cohort) => void,
  ) {}

  /** The audience has pending events. */
  mark(audience: Audience): void {
    for (const cohort of audience.cohorts) if (isFull(cohort)) this.flush(cohort);
    if (this.#rounds.has(audience)) return;
    this.#rounds.set(audience, { began: undefined, turn: 0, took: 0, events: 0 });
    this.#arm(this.#due(audience));
  }

  /** The audience is gone. */
  clear(audience: Audience): void {
    this.#rounds.delete(audience);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#rounds.clear();
  }

  #due({ live, lastFlush }: Audience): number {
    return dueAfter(lastFlush, live, this.gathering);
  }

  #arm(due: number): void {
    const wait = due - this.clock.now();
    if (wait <= 0) {
      this.#flushSoon();
      return;
    }
    if (this.#timer !== undefined && this.#timer.at <= due) return;
    this.#timer?.cancel();
    // Changes that have arrived by then are ingested first, and go out with the same flush.
    const cancel = this.clock.after(wait, () => {
      this.#timer = undefined;
      this.#flushSoon();
    });
    this.#timer = { at: due, cancel };
  }

  #flushSoon(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.clock.soon(() => {
      this.#soon = false;
      this.#flushDue();
    });
  }

  #flushDue(): void {
    const end = this.clock.now() + BUDGET;
    let next = Number.POSITIVE_INFINITY;
    for (const [audience, round] of this.#rounds) {
      const due = this.#due(audience);
      if (due > this.clock.now()) {
        next = Math.min(next, due);
      } else if (!this.#goOn(audience, round, end)) {
        this.#flushSoon();
        return;
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next);
  }

  /** Flushes cohorts while there is time; false if there was not enough of it. */
  #goOn(audience: Audience, round: Round, end: number): boolean {
    for (; round.turn < audience.cohorts.length; round.turn++) {
      const cohort = audience.cohorts[round.turn];
      const events = cohort?.pendingEvents ?? 0;
      if (cohort === undefined || events === 0) continue;
      const began = this.clock.now();
      if (began > end) {
        // Behind all others: none waits for more than one round.
        this.#rounds.delete(audience);
        this.#rounds.set(audience, round);
        return false;
      }
      round.began ??= began;
      this.flush(cohort);
      round.took += this.clock.now() - began;
      round.events = Math.max(round.events, events);
    }
    this.#rounds.delete(audience);
    const { began, took, events } = round;
    if (began !== undefined) audience.lastFlush = { began, took, events };
    // Events that have arrived since for the first cohorts.
    if (audience.cohorts.some(({ pendingEvents }) => pendingEvents > 0)) this.mark(audience);
    return true;
  }
}

const isFull = ({ live, pendingBytes }: Cohort): boolean => pendingBytes >= (live.length < FEW ? FULL_OF_FEW : FULL);
