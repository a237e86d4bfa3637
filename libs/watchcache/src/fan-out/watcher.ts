import type { Version } from '@orch/storage';
import type { ChangeEvent } from '../history/change-event.js';
import type { Ring } from '../history/ring.js';
import type { InitialState } from '../initial/initial-state.js';
import type { FrameEncoder } from './frames.js';
import type { Interest, SharedInterest } from './interest.js';
import type { ReleaseCharge } from './selector-budget.js';
import type { Due } from './timer-wheel.js';
import type { EndReason, WatchSink } from './watch-sink.js';

/**
 * State of a watcher. `live` watchers share the position of their cohort, and this object; all others carry their own.
 * The transitions are in SPEC.md.
 */
export type WatcherState =
  /** Waits for a future version; nothing is sent before. */
  | { readonly at: 'waiting'; readonly version: Version }
  /** Reading the initial state. */
  | {
      readonly at: 'initial';
      readonly state: InitialState;
      /** Owner charged for the state. */
      readonly owner: string | undefined;
      piece: number;
      /** Monotonic ms of the last progress. */
      since: number;
    }
  /** Reading changes that the ring no longer holds from the database; `page` has been read and not yet sent. */
  | {
      readonly at: 'history';
      after: Version;
      page: readonly ChangeEvent[] | undefined;
      reading: boolean;
      /** Monotonic ms of the last progress. */
      since: number;
    }
  /** Catching up from the ring. */
  | {
      readonly at: 'behind';
      cursor: number;
      /** Version reached by the events before the cursor: resumes from there if the ring drops the next. */
      after: Version;
      /** Monotonic ms of the last progress. */
      since: number;
    }
  | { readonly at: 'live'; readonly cohort: Cohort }
  | { readonly at: 'ended'; readonly reason: EndReason };

/** State of a watcher that catches up from a cursor of the ring on. */
export const behindAt = (ring: Ring, cursor: number, now: number): Extract<WatcherState, { at: 'behind' }> => ({
  at: 'behind',
  cursor,
  after: ring.versionBefore(cursor),
  since: now,
});

/** A stream: a few numbers and a socket, whatever its speed. */
export class Watcher implements Due {
  /** Updated by the fan-out, as are the members below except the sink; others only read it. */
  state: WatcherState;
  /** Whether the sink is full. */
  blocked = false;
  /** The sink's `departures` at the last check. */
  departures: number | undefined;
  /** Whether it is in the pump's queue. */
  queued = false;
  /** Whether an event has been sent to it. */
  opened = false;
  /** Index among the live watchers of its cohort. */
  liveIndex = -1;
  /** Releases what its selector was charged. */
  charge: ReleaseCharge | undefined;
  /** Monotonic ms of its next check by the timer wheel. */
  due = 0;
  /** Slot in the timer wheel; -1 when it has none. */
  slot = -1;
  /** Monotonic ms of the next bookmark; infinity for none. */
  nextBookmark = Number.POSITIVE_INFINITY;

  constructor(
    /** All watchers that want the same bytes. */
    public audience: Audience,
    /** Sink of its bytes. */
    readonly sink: WatchSink,
    /** Whether bookmarks are wanted. */
    readonly bookmarks: boolean,
    /** Whether a bookmark ends the initial state. */
    readonly marksInitialEnd: boolean,
    /** Monotonic ms at which the stream ends; infinity for never. */
    public endsAt: number,
    initial: WatcherState,
    private readonly onEnd: (watcher: Watcher, how: 'closed' | 'in-order' | Error) => void,
  ) {
    this.state = initial;
  }

  /** Whether nothing more will be written. */
  get ended(): boolean {
    return this.state.at === 'ended';
  }

  /** Closes the watcher when the client is gone: nothing more is written, and the sink is left to the caller. */
  close(): void {
    this.onEnd(this, 'closed');
  }

  /** Ends the stream as at its deadline, after a bookmark if it is live: its type is no longer served. */
  finish(): void {
    this.onEnd(this, 'in-order');
  }

  /** The client has lost its rights: bytes that wait are dropped, and the stream ends with the error. */
  refuse(error: Error): void {
    this.onEnd(this, error);
  }

  /** Writes bytes to the sink, recording when it is full. One that throws counts as full for ever. */
  write(bytes: Buffer): boolean {
    try {
      this.blocked = !this.sink.write(bytes);
    } catch {
      this.blocked = true;
    }
    return !this.blocked;
  }

  /** Same as {@link write} for pieces that belong together, at least one. */
  writePieces(pieces: readonly Buffer[]): boolean {
    const [only] = pieces;
    if (only && pieces.length === 1) return this.write(only);
    if (!this.sink.writePieces) return this.write(Buffer.concat(pieces));
    try {
      this.blocked = !this.sink.writePieces(pieces);
    } catch {
      this.blocked = true;
    }
    return !this.blocked;
  }
}

/** Live watchers of an audience at the same position, which are written to in one go. */
export class Cohort {
  /** Watchers that have everything but `pending`. */
  readonly live: Watcher[] = [];
  /** State of its watchers, shared by all of them. */
  readonly state: WatcherState = { at: 'live', cohort: this };
  /** Frames gathered since the last flush, in their pieces. */
  #pending: Buffer[] = [];
  #pendingEvents = 0;
  #pendingBytes = 0;
  /** Monotonic ms of the oldest pending event's arrival. */
  oldest = 0;
  /** Values that the observer returned for pending events. */
  origins: unknown[] = [];

  constructor(readonly audience: Audience) {}

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get pendingEvents(): number {
    return this.#pendingEvents;
  }

  gather(frame: readonly Buffer[], { at, origin }: ChangeEvent): void {
    if (this.#pendingEvents === 0) {
      this.oldest = at;
      if (this.origins.length > 0) this.origins = [];
    }
    if (origin !== undefined) this.origins.push(origin);
    this.#pendingEvents++;
    for (const piece of frame) {
      this.#pending.push(piece);
      this.#pendingBytes += piece.length;
    }
  }

  /** Returns all pending frames: one piece, or the pieces of a single large event; undefined when there are none. */
  take(): readonly Buffer[] | undefined {
    if (this.#pendingEvents === 0) return undefined;
    const pieces = this.#pendingEvents === 1 ? this.#pending : [Buffer.concat(this.#pending, this.#pendingBytes)];
    this.#pending = [];
    this.#pendingEvents = 0;
    this.#pendingBytes = 0;
    return pieces;
  }

  join(watcher: Watcher): void {
    watcher.liveIndex = this.live.length;
    this.live.push(watcher);
    this.audience.live++;
  }

  leave(watcher: Watcher): void {
    const last = this.live.pop();
    if (last !== undefined && last !== watcher) {
      this.live[watcher.liveIndex] = last;
      last.liveIndex = watcher.liveIndex;
    }
    watcher.liveIndex = -1;
    this.audience.live--;
  }
}

/** A flush of an audience, through all cohorts with pending events. */
export interface Flushed {
  /** Monotonic ms. */
  readonly began: number;
  /** Milliseconds of writing, without other work in between. */
  readonly took: number;
  /** Maximum number of events in one write. */
  readonly events: number;
}

const NEVER: Flushed = { began: Number.NEGATIVE_INFINITY, took: 0, events: 0 };

/** All watchers that want the same bytes. An event has the same effect for all of them. */
export class Audience {
  /** Its live watchers, divided so that other work can run during a flush to many of them. */
  readonly cohorts: Cohort[] = [];
  /** Numbers of live watchers, and of all. */
  live = 0;
  members = 0;
  lastFlush: Flushed = NEVER;
  #bookmark: { readonly version: Version; readonly bytes: Buffer } | undefined;

  constructor(
    readonly key: string,
    readonly shared: SharedInterest,
    readonly encoder: FrameEncoder,
    private readonly cohortSize: number,
  ) {}

  get interest(): Interest {
    return this.shared.interest;
  }

  /** Returns a cohort that a further watcher may join once it is flushed. */
  cohortWithRoom(): Cohort {
    const found = this.cohorts.find(({ live }) => live.length < this.cohortSize);
    if (found !== undefined) return found;
    const made = new Cohort(this);
    this.cohorts.push(made);
    return made;
  }

  /** Returns a bookmark, encoded once for watchers at the same version. */
  bookmark(version: Version): Buffer {
    if (this.#bookmark?.version !== version) {
      this.#bookmark = { version, bytes: this.encoder.bookmark(version, false) };
    }
    return this.#bookmark.bytes;
  }
}
