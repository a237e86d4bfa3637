import type { TypeId } from '@orch/storage';
import type { ResetReason } from './feed.js';

/** Observer of the feed, for metrics and logs. Calls are cheap and must not throw. */
export interface FeedObserver {
  /** This many changes had to be read from the database because the bus did not bring them. */
  healed?(type: TypeId, changes: number): void;
  /** This many changes were announced without their bodies, and read from the database. */
  fetched?(type: TypeId, changes: number): void;
  /** This many announcements had been delivered before. */
  repeated?(type: TypeId, changes: number): void;
  /** A follower has to start over from a snapshot. */
  reset?(type: TypeId, reason: ResetReason): void;
  /** A query has read the heads of this many types, for this many callers. */
  headsRead?(types: number, callers: number): void;
  /** Milliseconds from the start of a head read to the delivery of everything up to that head. */
  lag?(type: TypeId, ms: number): void;
  /** A read of the database, or a consumer, failed; the feed keeps trying. */
  failed?(error: unknown): void;
}
