/** Calls that travel to the database together. */
export interface StoreBatch {
  /** What they do: write, read an object each, or read heads. */
  readonly lane: 'write' | 'get' | 'heads';
  /** How many they are; a chain of writes counts as one. */
  readonly size: number;
  /** Milliseconds that each of them has waited for the batch before it. */
  readonly waited: readonly number[];
  /** What each of them came with as `origin`, in the same order; empty for lanes without. */
  readonly origins: readonly unknown[];
}

/** How a migration of a schema goes. */
export interface MigrationStep {
  /** Name of the schema. */
  readonly schema: string;
  /** Of the migration; absent while another process is waited for. */
  readonly name?: string;
  /** `waits`: for another process that migrates. `lasts` and `waits` are reported again and again. */
  readonly state: 'waits' | 'begins' | 'lasts' | 'ended';
  /** Milliseconds since it began, or since it is waited for. */
  readonly ms: number;
}

/** What the store tells metrics and traces. Calls are cheap and must not throw. */
export interface StoreObserver {
  /** Carries a batch out: calls `work` once, and gives on what comes of it. */
  batch?<R>(batch: StoreBatch, work: () => Promise<R>): Promise<R>;
  /** A snapshot began, so many milliseconds after it was asked for. */
  snapshot?(ms: number): void;
  /** An attempt to connect failed; it is repeated while somebody waits. */
  connectFailed?(error: unknown): void;
  /** How far the clock of this machine is before that of the database, milliseconds, as far as the way between them lets it be told. */
  clockRead?(offset: number): void;
  /** A schema is migrated, or somebody else who migrates it is waited for. */
  migration?(step: MigrationStep): void;
}

/** The observer's part in the batches of a lane; undefined where it takes none. */
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
  /** Of these, connections that nobody uses. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}
