import type { Version } from '@orch/storage';
import type { ChangeEvent } from '../history/change-event.js';
import type { Ring } from '../history/ring.js';
import type { InitialState } from '../initial/initial-state.js';
import type { Audience } from './audience.js';
import type { Cohort } from './cohort.js';
import type { ReleaseCharge } from './selector-budget.js';
import type { Due } from './timer-wheel.js';

/** Destination of a stream's bytes. */
export interface WatchSink {
  /**
   * Takes a piece of the stream. False asks for no more until `onDrain` calls back; the piece itself has been taken. A
   * socket should decide by its buffered bytes (`writableLength` below a limit), not by its own `write`, which refuses
   * any piece larger than its watermark. Must not call back into the watcher.
   */
  write(bytes: Buffer): boolean;
  /** Same for pieces that belong together; absent if they must be passed as one. */
  writePieces?(pieces: readonly Buffer[]): boolean;
  /**
   * Grows whenever bytes have left the process, which distinguishes a slow client from one that does not read. Absent
   * when unknown: then only drain events show that it is read.
   */
  readonly departures?: number;
  /** Set once. May be called at any time, even when not requested. */
  onDrain(callback: () => void): void;
  /** Ends the stream cleanly, after what has been written. The socket's owner gives up on one that never drains. */
  end(): void;
}

/** Why a stream ended. `closed` is the caller's decision; the others end the sink. */
export type EndReason = 'closed' | 'deadline' | 'drained' | 'expired' | 'unavailable' | 'failed' | 'refused';

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
