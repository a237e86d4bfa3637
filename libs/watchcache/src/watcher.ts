import type { Version } from '@orch/storage';
import type { Audience } from './audience.js';
import type { ChangeEvent } from './change-event.js';
import type { Cohort } from './cohort.js';
import type { InitialState } from './initial-state.js';
import type { Ring } from './ring.js';
import type { Charge } from './selector-budget.js';
import type { Due } from './timer-wheel.js';

/** Destination of a stream's bytes. */
export interface WatchSink {
  /**
   * Takes a piece of the stream. False asks for no more until `onDrain` calls back; the piece itself has been taken.
   * A socket should answer by what it still holds (`writableLength` below a cap), not by its own `write`, which refuses
   * any piece larger than its watermark. Must not call back into the watcher.
   */
  write(bytes: Buffer): boolean;
  /** The same of pieces that belong together; absent where they are to be handed over as one. */
  writePieces?(pieces: readonly Buffer[]): boolean;
  /**
   * Grows whenever bytes have left the process, which distinguishes a slow client from one that does not read. Absent
   * when unknown: then only drain events show that it is read.
   */
  readonly departures?: number;
  /** Set once. May be called at any time, also when nothing was asked for. */
  onDrain(callback: () => void): void;
  /**
   * Ends the stream cleanly, after what has been written. The owner of the socket gives up on one that never drains.
   */
  end(): void;
}

/** Why a stream ended. `closed` is the caller's doing; the others end the sink. */
export type EndReason = 'closed' | 'deadline' | 'drained' | 'expired' | 'unavailable' | 'failed' | 'refused';

/**
 * State of a watcher. `live` watchers share the position of their cohort, and this object; all others carry their own.
 * The transitions are in SPEC.md.
 */
export type WatcherState =
  /** For a version that does not exist yet; nothing is sent before it does. */
  | { readonly at: 'waiting'; readonly version: Version }
  /** Reading the initial state. */
  | {
      readonly at: 'initial';
      readonly state: InitialState;
      /** Owner charged for the state. */
      readonly owner: string | undefined;
      piece: number;
      /** Monotonic ms of the last step forward. */
      since: number;
    }
  /** Reading changes that the ring no longer holds from the database; `page` has been read and not yet sent. */
  | {
      readonly at: 'history';
      after: Version;
      page: readonly ChangeEvent[] | undefined;
      reading: boolean;
      /** Monotonic ms of the last step forward. */
      since: number;
    }
  /** Catching up from the ring. */
  | {
      readonly at: 'behind';
      cursor: number;
      /** The version that the events before the cursor reach: where to go on from if the ring drops the next. */
      after: Version;
      /** Monotonic ms of the last step forward. */
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
  /** Kept by the fan-out, as are the members below but the sink; others only read it. */
  state: WatcherState;
  /** The sink has asked for no more. */
  blocked = false;
  /** The sink's `departures` at the last check. */
  departures: number | undefined;
  /** In the pump's queue. */
  queued = false;
  /** Has been sent an event. */
  opened = false;
  /** Place among the live watchers of its cohort. */
  liveIndex = -1;
  /** Releases what its selector was charged. */
  charge: Charge | undefined;
  /** Monotonic ms at which the timer wheel looks at it next. */
  due = 0;
  /** Place in the timer wheel; -1 when it is in none. */
  slot = -1;
  /** Monotonic ms of the next bookmark; infinity for none. */
  nextBookmark = Number.POSITIVE_INFINITY;

  constructor(
    /** All who want the same bytes. */
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

  /** The client is gone: nothing more is written, and the sink is left to the caller. */
  close(): void {
    this.onEnd(this, 'closed');
  }

  /** Ends the stream as at its deadline, after a bookmark if it is live: what it is of is served no more. */
  finish(): void {
    this.onEnd(this, 'in-order');
  }

  /** The client has lost its rights: bytes that wait are dropped, and the stream ends with the error. */
  refuse(error: Error): void {
    this.onEnd(this, error);
  }

  /** Hands bytes to the sink, noting when it has had enough. One that throws is as good as one that never drains. */
  write(bytes: Buffer): boolean {
    try {
      this.blocked = !this.sink.write(bytes);
    } catch {
      this.blocked = true;
    }
    return !this.blocked;
  }

  /** {@link write} of pieces that belong together; of one at least. */
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
