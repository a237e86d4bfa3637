import type { Clock } from '@orch/runtime/clock';
import { HistoryExpiredError } from '@orch/storage';
import type { ChangeEvent, EventKind } from '../history/change-event.js';
import { narrowest } from '../state/attributes.js';
import type { WatchedState } from './fan-out-model.js';
import { type FrameCache, type FrameEncoder, followingOf, lengthOf, shownBy } from './frames.js';
import { priorDetail, transition } from './interest.js';
import type { StepResult } from './pump.js';
import type { EndReason } from './watch-sink.js';
import { behindAt, type Watcher, type WatcherState } from './watcher.js';

/** Actions of a step on a watcher beside writing. */
interface StepActions {
  enter(watcher: Watcher, next: WatcherState): void;
  goLive(watcher: Watcher): void;
  resume(watcher: Watcher): void;
  expire(watcher: Watcher): void;
  end(watcher: Watcher, reason: EndReason): void;
  /** `initial`: events of the initial state, not counted in `events`. */
  delivered(watcher: Watcher, events: number, bytes: number, initial?: number): void;
}

type At<Name extends WatcherState['at']> = Extract<WatcherState, { at: Name }>;

/**
 * Bytes that one step joins into a piece, which is then memory of that watcher alone until it is sent; a larger frame
 * is sent by itself, shared.
 */
const STEP_BYTES = 16 << 10;
/** Milliseconds of one step of one watcher, checked after a few events: attributes of each may have to be parsed. */
const STEP_MS = 2;
const STEP_EVENTS = 64;

/** Advances watchers that are not live by a step of one piece at most, so that a slow sink is noticed at once. */
export class StreamSteps {
  constructor(
    private readonly served: WatchedState,
    private readonly clock: Clock,
    private readonly frames: FrameCache,
    private readonly actions: StepActions,
  ) {}

  step(watcher: Watcher): StepResult {
    if (watcher.blocked) return 'rest';
    const { state } = watcher;
    switch (state.at) {
      case 'initial':
        return this.#initial(watcher, state);
      case 'history':
        return this.#history(watcher, state);
      case 'behind':
        return this.#behind(watcher, state);
      case 'waiting':
      case 'live':
      case 'ended':
        return 'rest';
    }
  }

  #initial(watcher: Watcher, at: At<'initial'>): StepResult {
    const { state } = at;
    if (state.cursor < this.served.ring.first) {
      this.actions.expire(watcher);
      return 'rest';
    }
    const piece = state.piece(at.piece);
    if (piece !== undefined) {
      this.actions.delivered(watcher, 0, piece.length, state.eventsOf(at.piece));
      watcher.opened = true;
      at.piece++;
      at.since = this.clock.now();
      return watcher.write(piece) ? 'more' : 'rest';
    }
    this.actions.enter(watcher, behindAt(this.served.ring, state.cursor, this.clock.now()));
    if (watcher.marksInitialEnd) {
      const end = watcher.audience.encoder.bookmark(state.version, true);
      this.actions.delivered(watcher, 0, end.length);
      watcher.write(end);
    }
    return 'more';
  }

  #behind(watcher: Watcher, at: At<'behind'>): StepResult {
    const { ring } = this.served;
    if (at.cursor < ring.first) {
      // It reads, but slower than events arrive: the database has what the ring has dropped meanwhile.
      this.actions.enter(watcher, { at: 'history', after: at.after, page: undefined, reading: false, since: at.since });
      return 'more';
    }
    const { interest } = watcher.audience;
    const piece = new Piece();
    const value = narrowest(interest.selection);
    const began = this.clock.now();
    const end = value === undefined ? ring.next : ring.prepare(value[0], at.cursor, began);
    for (let looked = 1; ; looked++) {
      if (value !== undefined) at.cursor = Math.min(end, ring.seek(value, at.cursor));
      if (at.cursor >= end) break;
      const event = ring.at(at.cursor);
      const kind = event === undefined ? undefined : transition(interest, event);
      if (event !== undefined && kind !== undefined && !this.#take(watcher, piece, event, kind)) break;
      at.cursor++;
      if (looked % STEP_EVENTS === 0 && this.clock.now() > began + STEP_MS) break;
    }
    at.after = ring.versionBefore(at.cursor);
    at.since = this.clock.now();
    this.#write(watcher, piece);
    if (watcher.blocked) return 'rest';
    if (at.cursor < ring.next) return 'more';
    this.actions.goLive(watcher);
    return 'rest';
  }

  #history(watcher: Watcher, at: At<'history'>): StepResult {
    const { ring } = this.served;
    if (at.after >= ring.floor) {
      this.actions.enter(watcher, behindAt(ring, ring.cursorAfter(at.after), this.clock.now()));
      return 'more';
    }
    if (at.page === undefined) {
      if (!at.reading) void this.#read(watcher, at);
      return 'rest';
    }
    // The database may be ahead of the ring: changes beyond the ring's floor come from the ring only.
    const page = at.page.filter(({ version }) => version <= ring.floor);
    const piece = new Piece();
    const taken = this.#takeAll(watcher, piece, page);
    at.since = this.clock.now();
    if (taken < page.length) {
      at.after = page[taken - 1]?.version ?? at.after;
      at.page = page.slice(taken);
    } else {
      const whole = page.length === 0 || page.length < at.page.length;
      at.after = whole ? ring.floor : (page.at(-1)?.version ?? ring.floor);
      at.page = undefined;
    }
    this.#write(watcher, piece);
    if (!watcher.blocked) return 'more';
    // A stalled watcher holds no page: it is read again, mostly from the shared cache.
    at.page = undefined;
    return 'rest';
  }

  /** Never rejects: an error of the database ends the stream, and the client resumes from its last version. */
  async #read(watcher: Watcher, at: At<'history'>): Promise<void> {
    at.reading = true;
    try {
      at.page = await this.served.history(at.after, priorDetail(watcher.audience.interest));
      at.reading = false;
      if (watcher.state === at) this.actions.resume(watcher);
    } catch (error) {
      if (watcher.state !== at) return;
      if (error instanceof HistoryExpiredError) this.actions.expire(watcher);
      else this.actions.end(watcher, 'unavailable');
    }
  }

  /** `before`: events that this step has encoded already. */
  #encoder(watcher: Watcher, before: number): FrameEncoder {
    const { encoder } = watcher.audience;
    return watcher.opened || before > 0 ? followingOf(encoder) : encoder;
  }

  /** Counts the events, from the first on, that fit into the piece or that the watcher does not want. */
  #takeAll(watcher: Watcher, piece: Piece, events: readonly ChangeEvent[]): number {
    const { interest } = watcher.audience;
    for (const [index, event] of events.entries()) {
      const kind = transition(interest, event);
      if (kind !== undefined && !this.#take(watcher, piece, event, kind)) return index;
    }
    return events.length;
  }

  #take(watcher: Watcher, piece: Piece, event: ChangeEvent, kind: EventKind): boolean {
    // Events before one that cannot be shown go out first.
    if (piece.events > 0 && shownBy(event, kind).failure) return false;
    return piece.take(this.frames.frame(event, kind, this.#encoder(watcher, piece.events)));
  }

  #write(watcher: Watcher, { frames, events, bytes }: Piece): void {
    if (events === 0) return;
    watcher.opened = true;
    this.actions.delivered(watcher, events, bytes);
    watcher.writePieces(events === 1 ? frames : [Buffer.concat(frames, bytes)]);
  }
}

/** Frames that are sent together. */
class Piece {
  readonly frames: Buffer[] = [];
  events = 0;
  bytes = 0;

  /** Adds a frame; returns whether there was room. */
  take(frame: readonly Buffer[]): boolean {
    const length = lengthOf(frame);
    if (this.events > 0 && this.bytes + length > STEP_BYTES) return false;
    this.frames.push(...frame);
    this.events++;
    this.bytes += length;
    return true;
  }
}
