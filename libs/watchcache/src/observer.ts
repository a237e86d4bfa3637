import type { AnnouncedChange } from '@orch/feed';
import type { TypeId } from '@orch/storage';
import type { FrameEncoder } from './frames.js';

/** What a cohort of an audience had gathered, handed to the sockets of its live watchers. */
export interface Flush {
  /** What made the bytes. */
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
  /** What {@link WatchObserver.arrived} gave for the events, where it gave something. */
  readonly origins: readonly unknown[];
}

/** What the watch tier tells metrics and traces. Calls are cheap and must not throw. */
export interface WatchObserver {
  /** A change is about to be put into the ring. What is returned stays with its event until it is flushed. */
  arrived?(type: TypeId, change: AnnouncedChange): unknown;
  /** Events went out to the live watchers of a cohort. */
  flushed?(flush: Flush): void;
  /** Events handed to one socket of a watcher that was not live: its initial state, or what it had missed. */
  caughtUp?(encoder: FrameEncoder, events: number, bytes: number): void;
}
