import type { Change, TypeId, Version } from '@orch/storage';

/** The fast path for changes. May lose, repeat, delay and reorder at will: whoever listens heals from the database. */
export interface ChangeBus {
  /** Announces committed changes; never waits and never throws. */
  publish(changes: readonly Change[]): void;
  /** Hears changes of one type until the returned function is called. */
  subscribe(type: TypeId, listener: (changes: readonly Change[]) => void): () => void;
  /** Whether the bus is connected; for readiness detail and metrics, never for correctness. */
  healthy(): boolean;
  close(): Promise<void>;
}

/** Consumer of one type's changes. Calls never overlap. */
export interface FeedSink {
  /** Ascending, gap-free: each one's `previous` is the version delivered before it. */
  changes(changes: readonly Change[]): void;
  /** Everything up to `head` has been delivered, as of a read of the database that began at `asOf` (monotonic ms). */
  confirmed(head: Version, asOf: number): void;
  /** Continuity is lost (compacted past us, or the database was rewound): start over from a snapshot. */
  reset(reason: 'expired' | 'rewound'): void;
}

/** A running subscription to one type. */
export interface Following {
  /** The last version delivered. */
  readonly delivered: Version;
  close(): void;
}
