import { dueAfter, fanOutDefaults } from '@orch/watchcache';
import { Histogram } from '../histogram.js';
import type { Costs } from './costs.js';

/** How a gateway gathers, unless told otherwise. */
const GATHERING = fanOutDefaults({});
const FULL_BYTES = 256 << 10;
/** Points of a cohort's flush at which delivery is looked at: the first watcher gets an event before the last. */
const POSITIONS = 4;
const US = 1e-3;

export interface GatewayLoad {
  readonly watchers: number;
  /** Audiences of equal size that they form. */
  readonly audiences: number;
  /** Changes per second that reach the gateway, and those of them that concern one of its audiences. */
  readonly changes: number;
  readonly concerned: number;
  /** `even` spaces them as a paced client does; `random` as many independent clients do (a Poisson process). */
  readonly arrivals: 'even' | 'random';
  /** Simulated time. */
  readonly seconds: number;
  /** The client that measures shares the result; none when absent. */
  readonly clients?: { readonly processes: number };
  /** Factor by which everything is slower because cores are shared; 1 if absent. */
  readonly stretch?: number;
}

export interface GatewayResult {
  /** Share of one core that is busy; near 1 the queue grows without end. */
  readonly utilisation: number;
  /** CPU of the gateway for each event delivered to one watcher, in microseconds. */
  readonly perEvent: number;
  /** Mean number of events in one write. */
  readonly gathered: number;
  /** From the request to the watcher, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

interface Cohort {
  readonly watchers: number;
  /** Arrivals of the events that wait for a flush. */
  pending: number[];
}

interface Audience {
  readonly watchers: number;
  readonly cohorts: readonly Cohort[];
  due: number;
  /** The flush under way, if one is: the cohort whose turn it is, and what it has taken so far. */
  round: { turn: number; began: number; took: number; events: number } | undefined;
  lastFlush: { readonly began: number; readonly took: number; readonly events: number };
}

function audienceOf(watchers: number): Audience {
  const cohorts = Array.from({ length: Math.ceil(watchers / GATHERING.cohortSize) }, (_, number) => ({
    watchers: Math.min(GATHERING.cohortSize, watchers - number * GATHERING.cohortSize),
    pending: [],
  }));
  const lastFlush = { began: Number.NEGATIVE_INFINITY, took: 0, events: 0 };
  return { watchers, cohorts, due: Number.POSITIVE_INFINITY, round: undefined, lastFlush };
}

/** Seeded, so that equal loads give equal results (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A gateway as a server with one core that takes changes in and flushes audiences cohort by cohort. Time is in milliseconds. */
export function simulateGateway(costs: Costs, load: GatewayLoad): GatewayResult {
  return new GatewaySimulation(costs, load).run();
}

class GatewaySimulation {
  readonly #audiences: readonly Audience[];
  readonly #dirty = new Set<Audience>();
  readonly #ages = new Histogram();
  readonly #random = randomNumbers(1);
  readonly #stretch: number;
  #coreFree = 0;
  #clientFree = 0;
  #busy = 0;
  #delivered = 0;
  #writes = 0;

  constructor(
    private readonly costs: Costs,
    private readonly load: GatewayLoad,
  ) {
    const { watchers, audiences, stretch = 1 } = load;
    const size = watchers / audiences;
    this.#stretch = stretch;
    this.#audiences = Array.from({ length: audiences }, () => audienceOf(size));
  }

  run(): GatewayResult {
    const { changes, concerned, seconds, arrivals } = this.load;
    const end = seconds * 1000;
    let at = 0;
    for (let number = 0; changes > 0; number++) {
      at = arrivals === 'even' ? (number * 1000) / changes : at - (Math.log(1 - this.#random()) * 1000) / changes;
      if (at >= end) break;
      this.#flushUntil(at);
      this.#change(at, this.#random() * changes < concerned);
    }
    this.#flushUntil(Number.POSITIVE_INFINITY);
    const arrival = { p50: this.costs.arrival.p50 * this.#stretch, p99: this.costs.arrival.p99 * this.#stretch };
    return {
      utilisation: this.#busy / Math.max(end, this.#coreFree),
      perEvent: this.#busy / US / this.#stretch / this.#delivered,
      gathered: this.#delivered / this.#writes,
      p50: arrival.p50 + this.#ages.percentile(0.5),
      // The tails of both hardly ever meet; the larger one carries the middle of the other.
      p99: Math.max(arrival.p99 + this.#ages.percentile(0.5), arrival.p50 + this.#ages.percentile(0.99)),
    };
  }

  #change(at: number, concerned: boolean): void {
    const done = this.#work(at, this.costs.change);
    if (!concerned) return;
    const audience = this.#audiences[Math.floor(this.#random() * this.#audiences.length)];
    if (!audience) return;
    for (const cohort of audience.cohorts) {
      cohort.pending.push(at);
      if (cohort.pending.length * this.costs.eventBytes >= FULL_BYTES) this.#flush(cohort, this.#coreFree);
    }
    this.#mark(audience, done);
  }

  #mark(audience: Audience, at: number): void {
    if (this.#dirty.has(audience)) return;
    this.#dirty.add(audience);
    const { watchers, lastFlush } = audience;
    audience.due = Math.max(at, dueAfter(lastFlush, watchers, GATHERING));
  }

  /** Flushes what is due before a moment, cohort by cohort. */
  #flushUntil(end: number): void {
    for (;;) {
      let next: Audience | undefined;
      for (const audience of this.#dirty) if (!next || audience.due < next.due) next = audience;
      if (!next || Math.max(next.due, this.#coreFree) > end) return;
      this.#goOn(next, Math.max(next.due, this.#coreFree));
    }
  }

  /** Flushes the next cohort that has something; ends the round after the last. */
  #goOn(audience: Audience, from: number): void {
    audience.round ??= { turn: 0, began: from, took: 0, events: 0 };
    const { round, cohorts } = audience;
    while (cohorts[round.turn]?.pending.length === 0) round.turn++;
    const cohort = cohorts[round.turn++];
    if (cohort) {
      round.events = Math.max(round.events, cohort.pending.length);
      round.took += this.#flush(cohort, from);
      return;
    }
    this.#dirty.delete(audience);
    audience.round = undefined;
    audience.lastFlush = round;
    if (cohorts.some(({ pending }) => pending.length > 0)) this.#mark(audience, from);
  }

  /** Returns what it took. */
  #flush(cohort: Cohort, from: number): number {
    const { write, event } = this.costs;
    const { pending, watchers } = cohort;
    cohort.pending = [];
    const end = this.#work(from, watchers * (write + event * pending.length));
    const took = end - from;
    this.#writes += watchers;
    this.#delivered += watchers * pending.length;
    this.#receive(from, took, watchers, pending);
    return took;
  }

  /** The client reads the sockets one after the other, as the server writes them. */
  #receive(from: number, took: number, watchers: number, events: readonly number[]): void {
    const { clients } = this.load;
    const { read, event } = this.costs.client;
    const reading = clients ? (watchers * (read + event * events.length) * US * this.#stretch) / clients.processes : 0;
    const begins = Math.max(from, clients ? this.#clientFree : 0);
    for (let position = 0; position < POSITIONS; position++) {
      const share = (position + 0.5) / POSITIONS;
      const received = Math.max(from + share * took, begins + share * reading);
      for (const arrived of events) this.#ages.record(received - arrived);
    }
    this.#clientFree = Math.max(from + took, begins + reading);
  }

  /** Occupies the core for some microseconds; returns when it is done. */
  #work(from: number, microseconds: number): number {
    const took = microseconds * US * this.#stretch;
    this.#coreFree = Math.max(this.#coreFree, from) + took;
    this.#busy += took;
    return this.#coreFree;
  }
}
