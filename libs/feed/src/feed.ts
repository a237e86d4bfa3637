import type { Change, TypeId, Version } from '@orch/storage';

/** An announced change. A body too large for the bus is omitted; followers read the change from the database. */
export interface AnnouncedChange extends Change {
  /** True when `body` is empty only because it did not fit. */
  readonly bodyOmitted?: boolean;
  /** W3C `traceparent` of the trace that the change belongs to, if it is sampled. Not part of the change itself. */
  readonly trace?: string;
  /** Monotonic ms at which a traced change was received; undefined if it was announced within this process. */
  readonly receivedAt?: number;
}

/** The fast path for changes. May lose, repeat, delay and reorder at will: followers recover from the database. */
export interface ChangeBus {
  /** Announces committed changes; never waits and never throws. */
  publish(changes: readonly AnnouncedChange[]): void;
  /** Registers a listener for changes of one type. Returns a function that removes it. */
  subscribe(type: TypeId, listener: (changes: readonly AnnouncedChange[]) => void): () => void;
  /** Registers a listener for when the bus is connected (again): announcements in between are lost. */
  onConnected(listener: () => void): () => void;
  /** Whether the bus is connected; for readiness detail and metrics, never for correctness. */
  healthy(): boolean;
  /** Closes the connection and removes all listeners. Publishing afterwards does nothing. */
  close(): Promise<void>;
}

/** Consumer of one type's changes. Calls never overlap. */
export interface FeedSink {
  /** Ascending, gap-free: each one's `previous` is the version delivered before it. */
  changes(changes: readonly Change[]): void;
  /** Everything up to `head` has been delivered, as of a read of the database that began at `asOf` (monotonic ms). */
  confirmed(head: Version, asOf: number): void;
  /**
   * Continuity is lost (compacted past us, or the database was rewound): start over from a snapshot. It is the last
   * call of this subscription.
   */
  reset(reason: ResetReason): void;
}

/** `expired`: history no longer reaches back to what was delivered. `rewound`: the database has lost it. */
export type ResetReason = 'expired' | 'rewound';

/** A running subscription to one type. */
export interface Following {
  /** The last version delivered. */
  readonly delivered: Version;
  /**
   * Monotonic ms at which the last read of the head began that found everything delivered; undefined before the first.
   */
  readonly confirmedAt: number | undefined;
  /**
   * Reads the head again (concurrent callers share the query) and resolves with it once everything up to it has been
   * delivered: a linearizable read from memory waits for this.
   * @throws FollowingEndedError when the subscription is reset or closed meanwhile.
   * @throws StoreUnavailableError when the database does not answer.
   */
  confirm(): Promise<Version>;
  /** Ends the subscription: no further call is made to the sink. */
  close(): void;
}

/** The subscription was reset or closed before it could confirm. */
export class FollowingEndedError extends Error {
  override readonly name = 'FollowingEndedError';
}
