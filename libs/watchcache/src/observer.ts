import type { AnnouncedChange } from '@orch/feed';
import type { TypeId } from '@orch/storage';
import type { FrameEncoder } from './fan-out/frames.js';

/** Bytes gathered for a cohort of an audience, written to the sockets of its live watchers. */
export interface Flush {
  /** Encoder of the bytes. */
  readonly encoder: FrameEncoder;
  /** Number of events given to each watcher. */
  readonly events: number;
  /** Number of bytes given to each watcher. */
  readonly bytes: number;
  /** Watchers that were written to. */
  readonly watchers: number;
  /** Monotonic ms of the oldest event's arrival in the ring. */
  readonly oldest: number;
  /** Monotonic ms: when the writing began. */
  readonly began: number;
  /** Monotonic ms: when the writing ended. */
  readonly ended: number;
  /** Values that {@link WatchObserver.arrived} returned for the events, if any. */
  readonly origins: readonly unknown[];
}

/** Observer of the watch tier, for metrics and traces. Calls are cheap and must not throw. */
export interface WatchObserver {
  /** A change is about to be added to the ring. The returned value stays with its event until it is flushed. */
  arrived?(type: TypeId, change: AnnouncedChange): unknown;
  /** Events went out to the live watchers of a cohort. */
  flushed?(flush: Flush): void;
  /** Events were written to the socket of a watcher that was not live: its initial state, or missed events. */
  caughtUp?(encoder: FrameEncoder, events: number, bytes: number): void;
}
