import type { AnnouncedChange } from '@orch/feed';
import type { TypeId } from '@orch/storage';
import type { FrameEncoder } from './frames.js';

/** What a cohort of an audience had gathered, handed to the sockets of its live watchers. */
export interface Flush {
  readonly encoder: FrameEncoder;
  readonly events: number;
  readonly bytes: number;
  readonly watchers: number;
  /** Monotonic ms: when the oldest of the events came into the ring, and when the writing began and ended. */
  readonly oldest: number;
  readonly began: number;
  readonly ended: number;
  /** What {@link WatchObserver.arrived} gave for the events, where it gave something. */
  readonly origins: readonly unknown[];
}

/** What the watch tier tells metrics and traces. Calls are cheap and must not throw. */
export interface WatchObserver {
  /** A change is about to be put into the ring. What is returned stays with its event until it is flushed. */
  arrived?(type: TypeId, change: AnnouncedChange): unknown;
  flushed?(flush: Flush): void;
  /** Events handed to one socket of a watcher that was not live: its initial state, or what it had missed. */
  caughtUp?(encoder: FrameEncoder, events: number, bytes: number): void;
}
