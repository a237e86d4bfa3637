import { Compactor } from './compactor.js';
import type { Connection, ConnectionSettings } from './connection.js';
import { parseDatabaseUrl } from './connection-url.js';
import { Connector, isPermanent } from './connector.js';
import { ensurePartitions } from './history.js';
import { Lineage } from './lineage.js';
import { IncompatibleDatabaseError, type Installation, migrate, shippedMigrations } from './migrate.js';
import { type CompleteOptions, completeOptions, type StoreOptions } from './options.js';
import { Pool } from './pool.js';
import { Reader } from './reader.js';
import { registerTypes } from './register-types.js';
import { Snapshots } from './snapshot.js';
import {
  type Change,
  type Head,
  type HistoricChange,
  type Key,
  type Row,
  type Snapshot,
  type SnapshotRequest,
  type Store,
  StoreUnavailableError,
  type TypeId,
  type Version,
  type WriteOp,
  type WriteOutcome,
} from './store.js';
import { Writer } from './writer.js';

/**
 * Opens the store: waits for the database up to `openTimeout`, migrates its schema, checks that it belongs to this kind of
 * installation.
 * @throws IncompatibleDatabaseError, StoreUnavailableError
 */
export async function openStore(options: StoreOptions): Promise<PostgresStore> {
  const complete = completeOptions(options);
  const settings = connectionSettings(complete);
  const migrator = await connectWithin(new Connector(settings, async () => undefined), complete.openTimeout);
  try {
    const migrations = await shippedMigrations();
    const installation = await migrate(migrator, complete.schema, migrations, complete);
    await ensurePartitions(migrator);
    return new PostgresStore(complete, settings, installation);
  } finally {
    await migrator.end();
  }
}

/** State and history in PostgreSQL; see {@link Store}. */
export class PostgresStore implements Store {
  /** Bounds the history; start it in processes that should take part. */
  readonly compactor: Compactor;
  readonly #pools: readonly Pool[];
  readonly #admin: Pool;
  readonly #lineage = new Lineage();
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #snapshots: Snapshots;

  constructor(
    options: CompleteOptions,
    settings: ConnectionSettings,
    /** Whose database this is. */
    readonly installation: Installation,
  ) {
    const inspect = (connection: Connection) => this.#lineage.inspect(connection);
    const pool = (size: number, changed: Partial<ConnectionSettings> = {}) => {
      const connector = new Connector({ ...settings, ...changed }, inspect);
      return new Pool(() => connector.connect(), { ...options, size });
    };
    const writes = pool(1);
    const reads = pool(options.readConnections);
    const slowReads = pool(options.snapshotConnections, {
      statementTimeout: options.snapshotTimeout,
      answerTimeout: options.snapshotTimeout,
      idleTransactionTimeout: options.snapshotTimeout,
    });
    this.#admin = pool(1);
    this.#pools = [writes, reads, slowReads, this.#admin];
    this.#writer = new Writer(writes, this.#lineage, options);
    this.#reader = new Reader(reads, this.#lineage, options);
    this.#snapshots = new Snapshots(slowReads, options);
    this.compactor = new Compactor(this.#admin, options);
  }

  /** Counts how often the database's history was found broken; undefined before the first connection. */
  get epoch(): bigint | undefined {
    return this.#lineage.epoch;
  }

  registerTypes(types: readonly { group: string; resource: string }[]): Promise<readonly TypeId[]> {
    return this.#admin.use((connection) => registerTypes(connection, types));
  }

  setNamespaceType(type: TypeId): void {
    this.#writer.namespaceType = type;
  }

  write(op: WriteOp): Promise<WriteOutcome> {
    return this.#writer.write(op);
  }

  get(type: TypeId, key: Key): Promise<Row | undefined> {
    return this.#reader.get(type, key);
  }

  heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    return this.#reader.heads(types);
  }

  settledHead(type: TypeId): Promise<Head> {
    return this.#reader.settledHead(type);
  }

  lastVersion(): Promise<Version> {
    return this.#reader.lastVersion();
  }

  changes(type: TypeId, after: Version, limit: number): Promise<readonly HistoricChange[]> {
    return this.#reader.changes(type, after, limit);
  }

  snapshot(request: SnapshotRequest): Promise<Snapshot> {
    return this.#snapshots.take(request);
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    return this.#writer.onCommit(listener);
  }

  onRewind(listener: () => void): () => void {
    return this.#lineage.onRewind(listener);
  }

  /** Tells of a version that was announced by whatever way; a database found behind it has gone back in time. */
  noteAnnounced(type: TypeId, version: Version): void {
    this.#lineage.observe(type, version);
  }

  ping(): Promise<void> {
    return this.#reader.ping();
  }

  /** Ends after the writes that were accepted; further calls fail. */
  async close(): Promise<void> {
    await Promise.all([this.#writer.drained(), this.compactor.stop()]);
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}

function connectionSettings(options: CompleteOptions): ConnectionSettings {
  return {
    ...options,
    address: parseDatabaseUrl(options.url),
    idleTransactionTimeout: options.statementTimeout,
  };
}

async function connectWithin(connector: Connector, timeout: number): Promise<Connection> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await connector.connect();
    } catch (error) {
      if (error instanceof IncompatibleDatabaseError) throw error;
      if (isPermanent(error) || performance.now() > deadline) {
        throw new StoreUnavailableError(`cannot open the database: ${(error as Error).message}`, false, {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
