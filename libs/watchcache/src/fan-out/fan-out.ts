import type { Version } from '@orch/storage';
import type { ChangeEvent } from '../history/change-event.js';
import { InitialStates } from '../initial/initial-states.js';
import { Audiences } from './audiences.js';
import type { FanOutStats, Joining, WatchedState } from './fan-out-model.js';
import { type FanOutOptions, withDefaults } from './fan-out-options.js';
import { FlushSchedule } from './flush-schedule.js';
import { FrameCache, followingOf, lengthOf, type StreamError, streamErrorOf } from './frames.js';
import { Laggards } from './laggards.js';
import { Pump } from './pump.js';
import { SelectorBudget } from './selector-budget.js';
import { StreamSteps } from './stream-steps.js';
import type { EndReason } from './watch-sink.js';
import { type Audience, behindAt, type Cohort, Watcher, type WatcherState } from './watcher.js';
import { WatcherTimes } from './watcher-times.js';

/** Delivers events to watchers: each is matched once per audience, encoded once, and written to a cohort in one go. */
export class FanOut {
  readonly #options: Required<FanOutOptions>;
  readonly #audiences: Audiences;
  readonly #selectors: SelectorBudget;
  readonly #watchers = new Set<Watcher>();
  readonly #waiting = new Set<Watcher>();
  readonly #behind: Laggards;
  readonly #frames: FrameCache;
  readonly #flushes: FlushSchedule;
  readonly #times: WatcherTimes;
  readonly #pump: Pump<Watcher>;
  readonly #initialStates: InitialStates;
  readonly #counts = { stalls: 0, expired: 0, deliveredEvents: 0, deliveredBytes: 0 };
  #onEmpty: (() => void)[] = [];
  /** Counts events. */
  #turn = 0;

  constructor(
    private readonly state: WatchedState,
    options: FanOutOptions = {},
  ) {
    this.#options = withDefaults(options);
    const { clock, cohortSize, maxFrameBytes, shareInitial, maxStall } = this.#options;
    this.#audiences = new Audiences(cohortSize, (audience) => {
      this.#flushes.clear(audience);
      this.#initialStates.forget(audience);
    });
    this.#selectors = new SelectorBudget(this.#options.selectorLimits);
    this.#frames = new FrameCache(maxFrameBytes);
    const { initialBudget: budget } = this.#options;
    this.#initialStates = new InitialStates(state, { clock, frames: this.#frames, budget, shared: shareInitial });
    this.#flushes = new FlushSchedule(clock, this.#options, (cohort) => this.#flush(cohort));
    this.#times = new WatcherTimes(this.#options, () => state.ring, {
      bookmark: (watcher) => this.#bookmark(watcher),
      end: (watcher) => this.#end(watcher, 'deadline'),
    });
    this.#behind = new Laggards({
      clock,
      ring: () => state.ring,
      maxStall,
      expire: (watcher) => this.#fail(watcher, 'expired'),
    });
    const steps = new StreamSteps(state, clock, this.#frames, {
      enter: (watcher, next) => this.#enter(watcher, next),
      goLive: (watcher) => this.#goLive(watcher),
      resume: (watcher) => this.#pump.add(watcher),
      expire: (watcher) => this.#fail(watcher, 'expired'),
      end: (watcher, reason) => this.#end(watcher, reason),
      delivered: (watcher, events, bytes, initial = 0) => {
        this.#delivered(events, bytes);
        this.#options.observer.caughtUp?.(watcher.audience.encoder, events + initial, bytes);
      },
    });
    this.#pump = new Pump(clock, (watcher) => {
      try {
        return steps.step(watcher);
      } catch (error) {
        this.#fail(watcher, 'failed', streamErrorOf(error));
        return 'rest';
      }
    });
  }

  /**
   * Adds a watcher. Nothing is written to its sink before the next turn of the event loop.
   * @throws SelectorBudgetError
   * @throws InitialBudgetError
   */
  join(joining: Joining): Watcher {
    const { sink, bookmarks, marksInitialEnd, endsAt } = joining;
    const charge = this.#selectors.charge(joining.interest, joining.owner);
    const audience = this.#audiences.enter(joining.interest, joining.encoder);
    let start: WatcherState;
    try {
      start = this.#start(audience, joining);
    } catch (error) {
      this.#audiences.leave(audience);
      charge?.();
      throw error;
    }
    const watcher = new Watcher(audience, sink, bookmarks, marksInitialEnd, endsAt, start, (ended, how) => {
      if (how === 'closed') this.#end(ended, 'closed');
      else if (how === 'in-order') this.#times.endBy(ended, this.#options.clock.now());
      else this.#fail(ended, 'refused', how);
    });
    watcher.charge = charge;
    this.#watchers.add(watcher);
    this.#enter(watcher, start);
    this.#times.begin(watcher);
    sink.onDrain(() => {
      watcher.blocked = false;
      if (!watcher.ended) this.#pump.add(watcher);
    });
    this.#pump.add(watcher);
    return watcher;
  }

  /** Distributes an event that has just been added to the ring. */
  event(event: ChangeEvent): void {
    this.#turn++;
    this.#audiences.concernedBy(event, (audience) => {
      if (audience.live > 0) this.#gather(audience, event);
    });
    if (this.#waiting.size > 0) this.wake();
  }

  #gather(audience: Audience, event: ChangeEvent): void {
    const { shared, encoder, cohorts } = audience;
    try {
      const kind = shared.transition(event, this.#turn);
      if (kind === undefined) return;
      for (const cohort of cohorts) {
        if (cohort.live.length === 0) continue;
        const maker = cohort.pendingEvents === 0 ? encoder : followingOf(encoder);
        cohort.gather(this.#frames.frame(event, kind, maker), event);
      }
    } catch (error) {
      const live = cohorts.flatMap((cohort) => cohort.live);
      // Earlier events go out first.
      for (const cohort of cohorts) this.#flush(cohort);
      for (const watcher of live) this.#fail(watcher, 'failed', streamErrorOf(error));
      return;
    }
    this.#flushes.mark(audience);
  }

  /** Starts the watchers whose version has been reached. */
  wake(): void {
    const { ring, version } = this.state;
    for (const watcher of [...this.#waiting]) {
      if (watcher.state.at !== 'waiting' || watcher.state.version > version) continue;
      if (watcher.state.version < ring.floor) {
        this.#fail(watcher, 'expired');
      } else {
        this.#enter(watcher, this.#behindVersion(watcher.state.version));
        this.#pump.add(watcher);
      }
    }
  }

  /** Continuity is lost: every stream with a position ends; one that waits for a version goes on unless rewound. */
  reset(reason: 'expired' | 'rewound'): void {
    this.#frames.disown();
    this.#initialStates.clear();
    for (const watcher of [...this.#watchers]) {
      if (reason === 'expired' && watcher.state.at === 'waiting') continue;
      this.#fail(watcher, 'expired');
    }
  }

  /** Ends all streams, spread over `spread` ms, each after a bookmark if it is live. Resolves when none is left. */
  async drain(spread: number): Promise<void> {
    const now = this.#options.clock.now();
    let number = 0;
    for (const watcher of this.#watchers) this.#times.endBy(watcher, now + (spread * number++) / this.#watchers.size);
    if (this.#watchers.size > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /** Ends every stream at once. */
  close(): void {
    for (const watcher of [...this.#watchers]) this.#end(watcher, 'drained');
    this.#times.stop();
    this.#flushes.stop();
    this.#behind.stop();
  }

  get size(): number {
    return this.#watchers.size;
  }

  stats(): FanOutStats {
    return {
      watchers: this.#watchers.size,
      audiences: this.#audiences.size,
      behind: this.#behind.size,
      ...this.#counts,
      ...this.#initialStates.counts,
      selectorTerms: this.#selectors.terms,
      frameBytes: this.#frames.bytes,
      initialBytes: this.#initialStates.bytes,
    };
  }

  #start(audience: Audience, { from, owner }: Joining): WatcherState {
    const { ring, version } = this.state;
    const since = this.#options.clock.now();
    if (from.at === 'now') return this.#behindAt(ring.next);
    if (from.at === 'initial') {
      const state = this.#initialStates.take(audience, from.notOlderThan, owner);
      return { at: 'initial', state, owner, piece: 0, since };
    }
    if (from.version > version) return { at: 'waiting', version: from.version };
    if (from.version >= ring.floor) return this.#behindVersion(from.version);
    return {
      at: 'history',
      after: from.version,
      page: from.page,
      reading: false,
      since,
    };
  }

  #behindAt(cursor: number) {
    return behindAt(this.state.ring, cursor, this.#options.clock.now());
  }

  /** State behind a version of the ring, at which it may have no event. */
  #behindVersion(after: Version): WatcherState {
    return { ...this.#behindAt(this.state.ring.cursorAfter(after)), after };
  }

  /** Changes a watcher's state; the only place that does, so that the sets are updated too. */
  #enter(watcher: Watcher, next: WatcherState): void {
    const { audience, state } = watcher;
    if (state.at === 'live') state.cohort.leave(watcher);
    this.#waiting.delete(watcher);
    if (state !== next && state.at === 'initial') this.#initialStates.release(audience, state.state, state.owner);
    watcher.state = next;
    if (next.at === 'waiting') this.#waiting.add(watcher);
    if (next.at === 'live') next.cohort.join(watcher);
    if (next.at === 'initial' || next.at === 'history' || next.at === 'behind') {
      this.#behind.add(watcher);
    } else {
      this.#behind.delete(watcher);
    }
  }

  /** At the end of the ring the watcher shares a cohort's position; it has the pending events already. */
  #goLive(watcher: Watcher): void {
    if (watcher.opened) this.#follow(watcher);
    const cohort = watcher.audience.cohortWithRoom();
    this.#flush(cohort);
    this.#enter(watcher, cohort.state);
  }

  /** Moves a watcher that has had its first event to the audience of those that had theirs before. */
  #follow(watcher: Watcher): void {
    const { audience } = watcher;
    if (audience.encoder.following === undefined) return;
    watcher.audience = this.#audiences.enter(audience.interest, audience.encoder.following);
    this.#audiences.leave(audience);
  }

  #flush(cohort: Cohort): void {
    const events = cohort.pendingEvents;
    const pieces = cohort.take();
    if (pieces === undefined) return;
    const bytes = lengthOf(pieces);
    const only = pieces.length === 1 ? pieces[0] : undefined;
    const began = this.#options.clock.now();
    const { live, oldest, origins } = cohort;
    const { encoder } = cohort.audience;
    const watchers = live.length;
    this.#delivered(events * watchers, bytes * watchers);
    // Backwards, as one that stalls is replaced by the last, which has been served.
    for (let index = live.length - 1; index >= 0; index--) {
      const watcher = live[index];
      if (watcher === undefined) continue;
      watcher.opened = true;
      if (only ? watcher.write(only) : watcher.writePieces(pieces)) continue;
      this.#stalled(watcher);
    }
    const ended = this.#options.clock.now();
    const flush = { encoder, events, bytes, watchers, oldest, began, ended, origins };
    this.#options.observer.flushed?.(flush);
    if (encoder.following !== undefined) this.#opened(cohort);
  }

  /**
   * The first events have been sent: the live watchers move to the audience that gets the others, though not during the
   * distribution of an event, which that audience may still be about to get.
   */
  #opened({ live }: Cohort): void {
    for (const watcher of [...live]) {
      this.#enter(watcher, this.#behindAt(this.state.ring.next));
      this.#pump.add(watcher);
    }
  }

  #stalled(watcher: Watcher): void {
    this.#counts.stalls++;
    this.#enter(watcher, this.#behindAt(this.state.ring.next));
  }

  /** Confirms what a watcher has: if it is live, the state's version, once its cohort is flushed. */
  #bookmark(watcher: Watcher): void {
    if (watcher.state.at === 'live') this.#flush(watcher.state.cohort);
    const reached = this.#reached(watcher);
    if (reached === undefined) return;
    const bytes = watcher.audience.bookmark(reached);
    this.#delivered(0, bytes.length);
    if (!watcher.write(bytes) && watcher.state.at === 'live') this.#stalled(watcher);
  }

  /**
   * The version that a watcher has been brought to; undefined when other bytes are due at once, or must be read. One
   * that waits for a version came with it; one that reads history may find no matching change for long.
   */
  #reached({ state, blocked }: Watcher): Version | undefined {
    if (state.at === 'live') return this.state.version;
    if (blocked) return undefined;
    if (state.at === 'waiting') return state.version;
    return state.at === 'history' ? state.after : undefined;
  }

  #fail(
    watcher: Watcher,
    reason: 'expired' | 'failed' | 'refused',
    error: StreamError = reason === 'expired' ? 'expired' : 'internal',
  ): void {
    if (watcher.ended) return;
    if (reason === 'expired') this.#counts.expired++;
    watcher.write(watcher.audience.encoder.error(error));
    this.#end(watcher, reason);
  }

  #end(watcher: Watcher, reason: EndReason): void {
    if (watcher.ended) return;
    const { audience } = watcher;
    this.#enter(watcher, { at: 'ended', reason });
    this.#times.remove(watcher);
    this.#watchers.delete(watcher);
    this.#audiences.leave(audience);
    watcher.charge?.();
    if (reason !== 'closed') watcher.sink.end();
    if (this.#watchers.size === 0) {
      for (const resolve of this.#onEmpty.splice(0)) resolve();
    }
  }

  #delivered(events: number, bytes: number): void {
    this.#counts.deliveredEvents += events;
    this.#counts.deliveredBytes += bytes;
  }
}
