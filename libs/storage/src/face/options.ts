import { randomUUID } from 'node:crypto';
import { type BodyCodec, UNDIVIDED } from './body-codec.js';
import type { StoreObserver } from './observer.js';

/** Options for reaching and using the database. Times are milliseconds. */
export interface StoreOptions {
  /** `postgres://user:password@host:port,host:port/database?sslmode=…`; the first host that accepts writes is used. */
  readonly url: string;
  /** URL of a read replica, for reads that may be slightly stale. */
  readonly readUrl?: string;
  /** Naming profile of this installation; recorded on first use, and a database of another one is refused. */
  readonly naming: string;
  /** Schema that holds all tables; default `cluster`. */
  readonly schema?: string;
  /** Id recorded when the database is first used; default a random UUID. */
  readonly clusterId?: string;
  /** Shown in `pg_stat_activity`; default `cluster-store`. */
  readonly applicationName?: string;
  /**
   * `transaction` for a URL that leads to a pooler which lends sessions for single transactions (PgBouncer's
   * `pool_mode=transaction`); default `session`.
   */
  readonly pooling?: 'session' | 'transaction';
  /** Stores the owners of fields apart from bodies; default: divides nothing. */
  readonly bodies?: BodyCodec;
  /** Connections for short reads; default 3. One more serves writes, one maintenance. */
  readonly readConnections?: number;
  /**
   * How long a batch of many types waits for the lane of a type that other servers write as well; default 100. Writes
   * that are undecided by then wait apart from the others.
   */
  readonly lanePatience?: number;
  /**
   * Connections that wait for lanes held for longer than that; default 32. Each waits for one type, so when more types
   * are held at a time, those beyond wait for the others. Opened on demand, and closed but for one.
   */
  readonly laneConnections?: number;
  /** Connections for pages of history; default 2. */
  readonly historyConnections?: number;
  /** Connections for lists that stream; default 4. */
  readonly snapshotConnections?: number;
  /** Writes of one batch; default 256. */
  readonly batchItems?: number;
  /** Bytes of bodies in one batch; default 4 MiB. */
  readonly batchBytes?: number;
  /** Writes (and, apart, reads) that may wait before more are refused; default 10,000. */
  readonly waiting?: number;
  /** Bytes of bodies in writes that may wait before more are refused; default 128 MiB. */
  readonly waitingBytes?: number;
  /** Rows behind a page of an older version that are counted at most; default 100,000. */
  readonly countedRows?: number;
  /** Rows of a snapshot's page; default 500. */
  readonly pageRows?: number;
  /**
   * Dead row versions of objects retained by an old snapshot, as far as the database's counters show, above which lists
   * of few objects use a plan that skips them; default 20,000.
   */
  readonly deadRows?: number;
  /** Bytes of the bodies in a page of history, at most, unless one change alone has more; default 4 MiB. */
  readonly historyPageBytes?: number;
  /** Bytes that a snapshot's page aims at, from the second on; default 1 MiB. */
  readonly pageBytes?: number;
  /** Until {@link openStore} gives up reaching the database; default 10,000. */
  readonly openTimeout?: number;
  /** Whether an older schema is migrated, rather than refused; default true. */
  readonly migrates?: boolean;
  /** Whether a role that may not write objects is enough; default false. */
  readonly mayOnlyRead?: boolean;
  /** To migrate the schema, retried between long reads in progress; default 60,000. */
  readonly migrationTimeout?: number;
  /** To establish one connection; default 3,000. */
  readonly connectTimeout?: number;
  /** To wait for a connection before a request fails; default 3,000. */
  readonly acquireTimeout?: number;
  /** After which the server ends a statement; default 4,500. */
  readonly statementTimeout?: number;
  /** After which the server gives up waiting for one lock; default 3,000. */
  readonly lockTimeout?: number;
  /** After which a silent server counts as gone; default 8,000. */
  readonly answerTimeout?: number;
  /** Life of one snapshot, however slowly it is read; default 60,000. */
  readonly snapshotTimeout?: number;
  /** Retention of changes; default 300,000 (5 minutes). */
  readonly retention?: number;
  /**
   * Age at which a partition of the history is closed, at least 1,000, and at least a fifteenth of the retention;
   * default 60,000, or the retention if that is less.
   */
  readonly partitionInterval?: number;
  /** Pause between rounds of the compactor; default 15,000, or the retention where that is less. */
  readonly compactionInterval?: number;
  /** Observer for metrics and traces. */
  readonly observer?: StoreObserver;
  /** In [0, 1); default Math.random. Spreads reconnections and compaction rounds. */
  readonly random?: () => number;
}

/** {@link StoreOptions} with every default filled in. */
export type CompleteOptions = Required<StoreOptions>;

/** Milliseconds. */
const SHORTEST_PARTITION = 1_000;

/** @throws RangeError for an invalid value */
export function completeOptions(options: StoreOptions): CompleteOptions {
  const { retention = 300_000 } = options;
  const complete: CompleteOptions & { partitionInterval: number } = {
    schema: 'cluster',
    clusterId: randomUUID(),
    applicationName: 'cluster-store',
    pooling: 'session',
    readUrl: '',
    bodies: UNDIVIDED,
    readConnections: 3,
    lanePatience: 100,
    laneConnections: 32,
    historyConnections: 2,
    snapshotConnections: 4,
    batchItems: 256,
    batchBytes: 4 << 20,
    waiting: 10_000,
    waitingBytes: 128 << 20,
    deadRows: 20_000,
    countedRows: 100_000,
    pageRows: 500,
    historyPageBytes: 2 << 20,
    pageBytes: 1 << 20,
    openTimeout: 10_000,
    migrates: true,
    mayOnlyRead: false,
    migrationTimeout: 60_000,
    connectTimeout: 3000,
    acquireTimeout: 3000,
    statementTimeout: 4500,
    lockTimeout: 3000,
    answerTimeout: 8000,
    snapshotTimeout: 60_000,
    retention,
    partitionInterval: Math.min(60_000, retention),
    compactionInterval: Math.min(15_000, retention),
    observer: {},
    random: Math.random,
    ...withoutUndefined(options),
  };
  // Closing a partition skips versions: at one per millisecond they would run out.
  complete.partitionInterval = Math.max(SHORTEST_PARTITION, complete.partitionInterval);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(complete.schema))
    throw new RangeError(`schema name ${complete.schema} is not plain lower case`);
  const positive = [
    'readConnections',
    'laneConnections',
    'historyConnections',
    'snapshotConnections',
    'batchItems',
    'batchBytes',
    'waiting',
    'waitingBytes',
    'historyPageBytes',
    'pageRows',
  ] as const;
  for (const name of positive) {
    if (!Number.isInteger(complete[name]) || complete[name] < 1)
      throw new RangeError(`${name} must be a positive integer`);
  }
  return complete;
}

function withoutUndefined(options: StoreOptions): StoreOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as StoreOptions;
}
