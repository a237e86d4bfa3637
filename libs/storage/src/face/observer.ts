/** Calls that are sent to the database together. */
export interface StoreBatch {
  /** The kind of call: writes, reads of single objects, or reads of heads. */
  readonly lane: 'write' | 'get' | 'heads';
  /** How many they are; a chain of writes counts as one. */
  readonly size: number;
  /** Milliseconds that each of them has waited for the batch before it. */
  readonly waited: readonly number[];
  /** The `origin` of each call, in the same order; empty for lanes without. */
  readonly origins: readonly unknown[];
}

/** Progress of a migration. */
export interface MigrationStep {
  /** Name of the schema. */
  readonly schema: string;
  /** Name of the migration; absent while another process is waited for. */
  readonly name?: string;
  /** `waits`: for another process that migrates. `lasts` and `waits` are reported repeatedly. */
  readonly state: 'waits' | 'begins' | 'lasts' | 'ended';
  /** Milliseconds since it began, or since the wait began. */
  readonly ms: number;
}

/** Observer of the store, for metrics and traces. Calls are cheap and must not throw. */
export interface StoreObserver {
  /** Wraps a batch: calls `work` once, and returns its result. */
  batch?<R>(batch: StoreBatch, work: () => Promise<R>): Promise<R>;
  /** A snapshot began, so many milliseconds after the request. */
  snapshot?(ms: number): void;
  /** An attempt to connect failed; it is repeated while a caller waits. */
  connectFailed?(error: unknown): void;
  /** Lead of this machine's clock over the database's in milliseconds, as far as the round trip shows it. */
  clockRead?(offset: number): void;
  /** A schema is being migrated, or a migration by another process is waited for. */
  migration?(step: MigrationStep): void;
}

/** Wraps the batches of a lane for the observer; undefined if it does not want that. */
export function aroundBatches<T>({ batch }: StoreObserver, lane: StoreBatch['lane'], origin?: (item: T) => unknown) {
  if (batch === undefined) return undefined;
  return <W>(items: readonly T[], waited: readonly number[], work: () => Promise<W>): Promise<W> => {
    const origins = origin ? items.map(origin) : [];
    return batch({ lane, size: items.length, waited, origins }, work);
  };
}

/** Connections of one pool at this moment. */
export interface PoolStats {
  /** Connections that there are, those in use and those idle. */
  readonly open: number;
  /** Connections in the pool that are unused. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}
