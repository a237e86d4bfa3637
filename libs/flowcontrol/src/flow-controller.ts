import type { Clock } from '@orch/runtime';
import { fairAllocation } from './allocation.js';
import { catchAllLevel, catchAllSchema, exemptLevel, exemptSchema } from './bootstrap.js';
import type { FlowRequest, FlowSchema, FlowUser, PriorityLevel } from './configuration.js';
import { FairQueues, type LevelObserver, type QueuedRequest, type RejectReason } from './fair-queues.js';
import { fits } from './matching.js';
import type { StartLimiter } from './pace.js';
import { smoothedDemand } from './seat-demand.js';
import type { WorkEstimate } from './work-estimate.js';

/** Seats of a level, for metrics. */
export interface LevelLimits {
  /** Seats by its share alone. */
  readonly nominal: number;
  /** Seats that cannot be borrowed from it. */
  readonly least: number;
  /** With everything that it may borrow. */
  readonly most: number;
}

/** Seats that a level was given, and the reasons, each time that they are divided. */
export interface LevelAdjustment {
  /** Highest demand since the last division. */
  readonly highest: number;
  /** Average demand since then. */
  readonly average: number;
  /** Standard deviation of that. */
  readonly deviation: number;
  /** Expected demand. */
  readonly smoothed: number;
  /** Seats that it can use, at least its minimum. */
  readonly target: number;
  /** Seats that it has from now on. */
  readonly current: number;
}

/** Observer of flow control, for metrics. */
export interface FlowObserver {
  /** Returns the observer of a level's requests. */
  of(level: string): LevelObserver;
  /** Seats of a level by its configuration. */
  limits(level: string, limits: LevelLimits): void;
  /** Seats have been divided again. */
  adjusted(level: string, adjustment: LevelAdjustment): void;
  /** A level was removed. */
  forget(level: string): void;
}

/** Dependencies and settings of a {@link FlowController}. */
export interface FlowControllerOptions {
  /** Seats of the process. */
  readonly seats: number;
  /** Maximum milliseconds that a request waits. */
  readonly maxWaitMs: number;
  /** Times waits, and the division of seats. */
  readonly clock: Clock;
  /** Observer of all levels. */
  readonly observer: FlowObserver;
  /** Limits how fast requests with seats may start. */
  readonly pace: StartLimiter;
}

/** A level and the requests that wait for its seats. */
export interface PriorityLevelState {
  /** The last configuration. */
  readonly configuration: PriorityLevel;
  /** Undefined for a level whose requests never wait. */
  readonly queues: FairQueues | undefined;
  /** Range of its seats. */
  readonly limits: LevelLimits;
  /** Whether it accepts no more requests, and only finishes those it has. */
  readonly isEnding: boolean;
  /** Maximum number of seats of one request. */
  readonly maxSeats: number;
}

/** Flow of a request. */
export interface Classified {
  /** The first matching schema. */
  readonly schema: FlowSchema;
  /** Level in which its requests wait. */
  readonly level: PriorityLevelState;
  /** Flow within its schema; '' when the schema has a single one. */
  readonly flow: string;
}

interface LevelState extends PriorityLevelState {
  configuration: PriorityLevel;
  limits: LevelLimits;
  isEnding: boolean;
  maxSeats: number;
  /** Its current seats. */
  current: number;
  smoothed: number;
}

/** Milliseconds between two divisions of the seats. */
const BORROWING_MS = 10_000;
/** Share of a level's seats that one request may take. */
const ONE_REQUESTS_PART = 0.15;
/** Seats of a request in a level without limits. */
const ANY_SEATS = 10;
const NO_LIMITS: LevelLimits = { nominal: 0, least: 0, most: 0 };

/**
 * Decides which requests of a process execute now: by priority level, and fairly among the flows of each (KEP-1040).
 */
export class FlowController {
  readonly #levels = new Map<string, LevelState>();
  #schemas: readonly { readonly schema: FlowSchema; readonly level: LevelState }[] = [];
  #cancelNext: (() => void) | undefined;

  constructor(private readonly options: FlowControllerOptions) {
    this.configure([], []);
  }

  /** Begins to lend unused seats. */
  start(): void {
    this.#cancelNext = this.options.clock.after(BORROWING_MS, () => {
      this.#reap();
      this.divide();
      this.start();
    });
  }

  /** Stops lending seats. */
  stop(): void {
    this.#cancelNext?.();
  }

  /** Levels by name, including ones that are ending. */
  get levels(): ReadonlyMap<string, PriorityLevelState> {
    return this.#levels;
  }

  /** Sets the configuration. The two mandatory levels and schemas are added; schemas of missing levels are ignored. */
  configure(levels: readonly PriorityLevel[], schemas: readonly FlowSchema[]): void {
    const wanted = new Map([exemptLevel, catchAllLevel, ...levels].map((level) => [level.name, level]));
    for (const level of wanted.values()) this.#keep(level);
    for (const [name, state] of this.#levels) state.isEnding = !wanted.has(name);
    this.#reap();
    this.#schemas = this.#sorted(schemas);
    this.#share();
    this.divide();
  }

  /** @returns the flow of a request: `catch-all` takes those that no other schema matches */
  classify(user: FlowUser, request: FlowRequest): Classified {
    for (const { schema, level } of this.#schemas)
      if (fits(schema, user, request)) return { schema, level, flow: flowOf(schema, user, request) };
    const level = this.#levels.get(catchAllLevel.name) as LevelState;
    return { schema: catchAllSchema, level, flow: flowOf(catchAllSchema, user, request) };
  }

  /** Accepts a request; undefined if its level has no limits. */
  enter(
    { schema, level, flow }: Classified,
    estimate: WorkEstimate,
    about?: unknown,
  ): QueuedRequest | RejectReason | undefined {
    if (level.queues) return level.queues.enter({ schema: schema.name, flow, estimate, about });
    this.options.pace.begins();
    return undefined;
  }

  /** Lends unused seats to levels that want more, within their bounds. */
  divide(): void {
    const { clock, observer } = this.options;
    const limited = [...this.#levels.values()].flatMap((state) =>
      state.queues ? [{ state, queues: state.queues }] : [],
    );
    const wanted = limited.map(({ state, queues }) => {
      const demand = queues.demand.take(clock.now());
      state.smoothed = smoothedDemand(state.smoothed, demand);
      const { nominal, least, most } = state.limits;
      const needed = Math.max(least, Math.min(nominal, demand.highest));
      return { demand, least: needed, most, target: Math.max(needed, state.smoothed) };
    });
    const seats = limited.reduce((sum, { state }) => sum + state.limits.nominal, 0);
    for (const [at, given] of fairAllocation(seats, wanted).entries()) {
      const { state, queues } = limited[at] as (typeof limited)[number];
      const { demand, target } = wanted[at] as (typeof wanted)[number];
      state.current = Math.round(given);
      queues.configure(state.current, state.configuration.limited?.queuing);
      const { smoothed, current } = state;
      observer.adjusted(state.configuration.name, { ...demand, smoothed, target, current });
    }
  }

  #keep(configuration: PriorityLevel): void {
    const { name, limited } = configuration;
    const known = this.#levels.get(name);
    if (known && (known.queues !== undefined) === (limited !== undefined)) {
      known.configuration = configuration;
      return;
    }
    // No more seats are allotted to requests that still wait there.
    known?.queues?.configure(Number.MAX_SAFE_INTEGER, undefined);
    const { clock, maxWaitMs, observer, pace } = this.options;
    const queues = limited && new FairQueues({ clock, maxWaitMs, observer: observer.of(name), pace });
    const made = { isEnding: false, maxSeats: ANY_SEATS, current: 0, smoothed: 0 };
    this.#levels.set(name, { ...made, configuration, queues, limits: NO_LIMITS });
  }

  /** Removes ending levels whose last request has ended. */
  #reap(): void {
    for (const [name, { isEnding, queues }] of this.#levels) {
      if (!isEnding || (queues && !queues.isIdle)) continue;
      this.#levels.delete(name);
      this.options.observer.forget(name);
    }
  }

  #sorted(schemas: readonly FlowSchema[]) {
    const names = new Set(schemas.map(({ name }) => name));
    const sorted = [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
    const all = [
      ...(names.has(exemptSchema.name) ? [] : [exemptSchema]),
      ...sorted,
      ...(names.has(catchAllSchema.name) ? [] : [catchAllSchema]),
    ];
    return all.flatMap((schema) => {
      const level = this.#levels.get(schema.priorityLevel);
      return level && !level.isEnding ? [{ schema, level }] : [];
    });
  }

  /** Computes the seats of each level by its share; rounded up, so that the total may be slightly higher. */
  #share(): void {
    const { seats, observer } = this.options;
    const states = [...this.#levels.values()];
    const shares = states.reduce((sum, { configuration: { limited } }) => sum + (limited?.shares ?? 0), 0);
    for (const state of states) {
      const { name, limited } = state.configuration;
      if (!limited) continue;
      const nominal = Math.ceil((seats * limited.shares) / Math.max(shares, 1));
      const lendable = Math.round((nominal * limited.lendablePercent) / 100);
      const { borrowingLimitPercent: percent } = limited;
      const borrowed = percent === undefined ? seats : Math.round((nominal * percent) / 100);
      state.limits = { nominal, least: nominal - lendable, most: nominal + borrowed };
      state.maxSeats = limited.queuing ? seatsOfOne(nominal, limited.queuing.handSize) : ANY_SEATS;
      observer.limits(name, state.limits);
    }
  }
}

const seatsOfOne = (nominal: number, handSize: number): number =>
  Math.max(1, Math.min(Math.ceil(nominal * ONE_REQUESTS_PART), Math.floor(nominal / handSize)));

function flowOf({ distinguisher }: FlowSchema, user: FlowUser, { namespace }: FlowRequest): string {
  if (distinguisher === 'ByUser') return user.name;
  return distinguisher === 'ByNamespace' ? namespace : '';
}
