import type { AnnouncedChange } from '@orch/feed';
import type { TypeId } from '@orch/storage';
import type { FrameEncoder } from './frames.js';

/** Bytes gathered for a cohort of an audience, written to the sockets of its live watchers. */
export interface Flush {
  /** Encoder of the bytes. */
  readonly encoder: FrameEncoder;
  /** Events that each watcher was given. */
  readonly events: number;
  /** Bytes that each watcher was given. */
  readonly bytes: number;
  /** Watchers that were written to. */
  readonly watchers: number;
  /** Monotonic ms: when the oldest of the events came into the ring, and when the writing began and ended. */
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
  /** A change is about to be put into the ring. What is returned stays with its event until it is flushed. */
  arrived?(type: TypeId, change: AnnouncedChange): unknown;
  /** Events went out to the live watchers of a cohort. */
  flushed?(flush: Flush): void;
  /** Events handed to one socket of a watcher that was not live: its initial state, or what it had missed. */
  caughtUp?(encoder: FrameEncoder, events: number, bytes: number): void;
}
