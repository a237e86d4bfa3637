import { ClosingWatch } from './connections/closing-watch.js';
import type { ConnectionSettings, DatabaseConnection } from './connections/connection.js';
import { parseDatabaseUrl } from './connections/connection-url.js';
import { Connector } from './connections/connector.js';
import { connectionSettings, connectWithin } from './connections/opening.js';
import { Pool } from './connections/pool.js';
import { ReadOnlyStoreError, StoreUnavailableError } from './face/errors.js';
import type { Key, TypeId, Version } from './face/key.js';
import type { PoolStats, StoreObserver } from './face/observer.js';
import { type CompleteOptions, completeOptions, type StoreOptions } from './face/options.js';
import type { ServingStore } from './face/serving-store.js';
import type {
  Change,
  Head,
  HistoricChange,
  Measure,
  PriorDetail,
  Row,
  SetOutcome,
  Snapshot,
  SnapshotRequest,
  Store,
  WriteOp,
  WriteOutcome,
} from './face/store.js';
import type { TypeName } from './face/type-name.js';
import { type AnnouncementKeys, announcementKeys } from './maintenance/announcement-keys.js';
import { Compactor } from './maintenance/compactor.js';
import { Expirer } from './maintenance/expirer.js';
import { Heartbeat, paceOf } from './maintenance/heartbeat.js';
import { heldLeases, type LeaseState, type ProcessLease, ProcessLeases } from './maintenance/lease.js';
import { Lineage } from './maintenance/lineage.js';
import {
  IncompatibleDatabaseError,
  type Installation,
  type Migration,
  migrate,
  shippedMigrations,
} from './maintenance/migrate.js';
import { DatabasePresence, type LeastProgress, leastProgress, type Presence } from './maintenance/presence.js';
import { SideSchema } from './maintenance/side-schema.js';
import { ensurePartitions } from './reads/history.js';
import { HistoryPages } from './reads/history-pages.js';
import { ObjectGets } from './reads/object-gets.js';
import { BatchingReader, type NamespaceState } from './reads/reader.js';
import { followerOf, Replica } from './reads/replica.js';
import { SettledHeads } from './reads/settled-heads.js';
import { Snapshots } from './reads/snapshot.js';
import { allTypes, RegisteredTypes } from './writes/registered-types.js';
import { forgetUncharged, readUncharged, type Uncharged } from './writes/uncharged.js';
import { Writer } from './writes/writer.js';

/**
 * Opens the store: waits for the database up to `openTimeout`, migrates its schema if it may, and checks that it
 * belongs to this kind of installation and that its role has the rights that are needed.
 * @throws IncompatibleDatabaseError, StoreUnavailableError
 */
export async function openStore(options: StoreOptions): Promise<PostgresStore> {
  const complete = completeOptions(options);
  const settings = connectionSettings(complete);
  const migrator = await connectWithin(new Connector(settings, async () => undefined), complete.openTimeout);
  try {
    const migrations = await shippedMigrations();
    const installation = await migrate(migrator, complete.schema, migrations, complete, complete);
    const mayWrite = await isWriter(migrator, complete);
    if (mayWrite) await ensurePartitions(migrator);
    return new PostgresStore(complete, settings, installation, mayWrite);
  } finally {
    await migrator.end();
  }
}

/** Connections kept for the next lane that another server holds for long. */
const SPARE_LANES = 1;

/** Milliseconds between checks for types that another process must register. */
const REGISTRATION_PAUSE = 50;
const NOT_REGISTERED =
  'the database does not know all types of this release: an api-server of it has to start first, as the role of this process may only read';

/** Milliseconds for which a database may be silent while the process shuts down. */
const CLOSING_PATIENCE = 2000;

/** Milliseconds that a read waits for a replica before it turns to the primary. */
const REPLICA_PATIENCE = 500;

/** State and history in PostgreSQL; see {@link Store}. */
export class PostgresStore implements ServingStore {
  /** Bounds the history; start it in processes that should take part. */
  readonly compactor: Compactor;
  readonly compactors: readonly Compactor[];
  readonly #pools: Readonly<Record<string, Pool>>;
  readonly #admin: Pool;
  readonly #leases: ProcessLeases;
  readonly #reads: Pool;
  readonly #observer: StoreObserver;
  readonly #options: CompleteOptions;
  readonly #types: RegisteredTypes;
  readonly #lineage: Lineage;
  readonly #heartbeat: Heartbeat;
  readonly #writer: Writer;
  readonly #reader: BatchingReader;
  readonly #gets: ObjectGets;
  readonly #history: HistoryPages;
  readonly #settledHeads: SettledHeads;
  readonly #snapshots: Snapshots;
  readonly #replica: Replica | undefined;
  readonly #sideSchemas = new Set<SideSchema>();
  #closing: ClosingWatch | undefined;

  constructor(
    options: CompleteOptions,
    private readonly settings: ConnectionSettings,
    /** Identity of the installation that the database belongs to. */
    readonly installation: Installation,
    /** Whether the database lets this process write; one that only reads leaves maintenance to others. */
    readonly mayWrite: boolean,
  ) {
    this.#types = new RegisteredTypes(mayWrite);
    this.#lineage = new Lineage(paceOf(options), (connection) => this.#rejoin(connection), mayWrite);
    const inspect = (connection: DatabaseConnection) => this.#lineage.inspect(connection);
    const pool = (size: number, changed: Partial<ConnectionSettings> = {}, spare = size) => {
      const connector = new Connector({ ...settings, ...changed }, inspect);
      return new Pool(() => connector.connect(), { ...options, size, spare });
    };
    const writes = pool(1);
    const lanes = pool(options.laneConnections, {}, SPARE_LANES);
    const reads = pool(options.readConnections);
    const history = pool(options.historyConnections);
    const measuring = pool(1, {}, 0);
    const slow = {
      statementTimeout: options.snapshotTimeout,
      answerTimeout: options.snapshotTimeout,
      idleTransactionTimeout: options.snapshotTimeout,
    };
    const slowReads = pool(options.snapshotConnections, slow);
    this.#admin = pool(1);
    this.#leases = new ProcessLeases(this.#admin);
    this.#reads = reads;
    this.#observer = options.observer;
    this.#options = options;
    this.#pools = {
      write: writes,
      lane: lanes,
      read: reads,
      history,
      measure: measuring,
      snapshot: slowReads,
      admin: this.#admin,
    };
    if (options.readUrl !== '') {
      const address = parseDatabaseUrl(options.readUrl);
      const follower = (size: number, changed: Partial<ConnectionSettings> = {}) => {
        const connector = Connector.toReplica({ ...settings, ...changed, address }, followerOf(installation.clusterId));
        return new Pool(() => connector.connect(), { ...options, acquireTimeout: REPLICA_PATIENCE, size });
      };
      const [replica, replicaSnapshot] = [
        follower(options.readConnections),
        follower(options.snapshotConnections, slow),
      ];
      Object.assign(this.#pools, { replica, replicaSnapshot });
      const snapshots = new Snapshots(replicaSnapshot, this.#lineage, options);
      this.#replica = new Replica(replica, snapshots, this.#lineage, options.bodies);
    }
    this.#writer = new Writer(writes, lanes, this.#lineage, options);
    this.#reader = new BatchingReader(reads, measuring, this.#lineage, options);
    this.#gets = new ObjectGets(reads, options);
    this.#history = new HistoryPages(history, this.#lineage, options);
    this.#settledHeads = new SettledHeads(lanes, this.#reader, options);
    this.#snapshots = new Snapshots(slowReads, this.#lineage, options);
    this.#heartbeat = new Heartbeat(reads, this.#lineage, options);
    if (mayWrite) this.#heartbeat.start();
    this.compactor = new Compactor(this.#admin, options);
    this.compactors = mayWrite ? [this.compactor] : [];
  }

  /** Number of times that the database's history was found rewound; undefined before the first connection. */
  get epoch(): bigint | undefined {
    return this.#lineage.epoch;
  }

  /** Registers types. A process that only reads waits until one that writes has registered them. */
  async registerTypes(types: readonly TypeName[]): Promise<readonly TypeId[]> {
    if (this.mayWrite) return this.#admin.use((connection) => this.#types.register(connection, types));
    const deadline = performance.now() + this.#options.migrationTimeout;
    for (;;) {
      const ids = await this.#findTypes(types, performance.now() > deadline);
      if (ids) return ids;
      await new Promise((resolve) => setTimeout(resolve, REGISTRATION_PAUSE));
    }
  }

  types(): Promise<readonly TypeName[]> {
    return this.#reads.use(allTypes);
  }

  /** Looks types up. Before the last attempt, unknown ids are no error, nor is a history that waits for a writer. */
  async #findTypes(types: readonly TypeName[], isLast: boolean): Promise<readonly TypeId[] | undefined> {
    try {
      const ids = await this.#admin.use((connection) => this.#types.find(connection, types));
      if (ids || !isLast) return ids;
    } catch (error) {
      if (isLast || !(error instanceof StoreUnavailableError)) throw error;
      return undefined;
    }
    throw new StoreUnavailableError(NOT_REGISTERED, false);
  }

  /** Restores the ids of types in a replaced database. If it has others, all connections with the old ids are broken. */
  async #rejoin(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#types.restore(connection);
    } catch (error) {
      for (const pool of Object.values(this.#pools)) pool.breakAll();
      throw error;
    }
  }

  setNamespaceType(type: TypeId): void {
    this.#writer.namespaceType = type;
  }

  setAccountType(type: TypeId): void {
    this.#writer.accountType = type;
  }

  async write(op: WriteOp): Promise<WriteOutcome> {
    this.#refuseReader();
    return this.#writer.write(op);
  }

  async writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    this.#refuseReader();
    return this.#writer.writeSet(ops);
  }

  #refuseReader(): void {
    if (!this.mayWrite) throw new ReadOnlyStoreError('the database role of this process may only read', false);
  }

  expirer(type: TypeId, timeToLive: number): Expirer {
    return new Expirer(type, timeToLive, this, this.#admin, this.#options);
  }

  lease(name: string, duration: number): ProcessLease {
    return this.#leases.lease(name, duration);
  }

  leases(): LeaseState[] {
    return this.#leases.states();
  }

  /** Names of leases with a prefix that any process holds now. @throws StoreUnavailableError */
  heldLeases(prefix: string): Promise<readonly string[]> {
    return this.#admin.use((connection) => heldLeases(connection, prefix));
  }

  /** Opens another schema in the same database, for data that are no objects; close it before the store. */
  besideSchema(schema: string, migrations: readonly Migration[]): SideSchema {
    const { settings } = this;
    const side = new SideSchema(
      { ...settings, schema, applicationName: `${settings.applicationName}-${schema}` },
      migrations,
      this.#options,
    );
    this.#sideSchemas.add(side);
    return side;
  }

  presence(duration: number): Presence {
    return new DatabasePresence(this.#reads, duration);
  }

  leastProgress(): Promise<LeastProgress | undefined> {
    return this.#reads.use(leastProgress);
  }

  uncharged(): Promise<Uncharged> {
    return this.#reads.use(readUncharged);
  }

  forgetUncharged(upTo: bigint): Promise<void> {
    return this.#admin.use((connection) => forgetUncharged(connection, upTo));
  }

  announcementKeys(rotation: number): Promise<AnnouncementKeys> {
    return this.#admin.use((connection) => announcementKeys(connection, { rotation, renews: this.mayWrite }));
  }

  get(type: TypeId, key: Key): Promise<Row | undefined> {
    return this.#gets.get(type, key);
  }

  async getStale(type: TypeId, key: Key): Promise<Row | undefined> {
    const found = await this.#replica?.get(type, key);
    return found ? found.row : this.get(type, key);
  }

  database(): number {
    return 0;
  }

  heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    return this.#reader.heads(types);
  }

  /** Returns the state of a namespace as a creation that requires it would find it. */
  namespaceState(namespaces: TypeId, name: string): Promise<NamespaceState> {
    return this.#reader.namespaceState(namespaces, name);
  }

  typesIn(namespace: string): Promise<readonly TypeId[]> {
    return this.#reader.typesIn(namespace);
  }

  measure(type: TypeId, objects: number): Promise<Measure> {
    return this.#reader.measure(type, objects);
  }

  settledHead(type: TypeId, version: Version): Promise<Head> {
    return this.#settledHeads.reach(type, version);
  }

  lastVersion(): Promise<Version> {
    return this.#reader.lastVersion();
  }

  changes(
    type: TypeId,
    after: Version,
    limit: number,
    prior: PriorDetail = 'body',
  ): Promise<readonly HistoricChange[]> {
    return this.#history.after(type, after, { changes: limit, prior });
  }

  async snapshot(request: SnapshotRequest): Promise<Snapshot> {
    const asked = performance.now();
    const stale = request.stale ? await this.#replica?.snapshot(request) : undefined;
    const snapshot = stale ?? (await this.#snapshots.take(request));
    this.#observer.snapshot?.(performance.now() - asked);
    return snapshot;
  }

  /** Statistics of connections, by their purpose. */
  pools(): [name: string, PoolStats][] {
    return Object.entries(this.#pools).map(([name, pool]) => [name, pool.stats()]);
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    return this.#writer.onCommit(listener);
  }

  onRewind(listener: () => void): () => void {
    return this.#lineage.onRewind(listener);
  }

  onAnnouncementKeysForgotten(listener: () => void): () => void {
    return this.#lineage.onTurn(listener);
  }

  noteAnnounced(type: TypeId, version: Version): void {
    this.#lineage.hear(type, version);
  }

  isLost(type: TypeId, version: Version): boolean {
    return this.#lineage.isLost(type, version);
  }

  ping(): Promise<void> {
    return this.#reader.ping();
  }

  prepareClose(): void {
    this.#closing ??= new ClosingWatch({
      ping: () => this.ping(),
      patience: CLOSING_PATIENCE,
      giveUp: () => this.#giveUp(),
    });
  }

  async #giveUp(): Promise<void> {
    const pools = Object.values(this.#pools);
    for (const pool of pools) pool.breakAll();
    await Promise.all([...pools, ...this.#sideSchemas].map((each) => each.close()));
  }

  /** Closes after the writes that were accepted; further calls fail. */
  async close(): Promise<void> {
    this.prepareClose();
    await Promise.all([this.#writer.drained(), this.compactor.stop(), this.#heartbeat.stop()]);
    this.#closing?.stop();
    await Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
  }
}

/** @throws IncompatibleDatabaseError when the role may only read, and that is not enough */
async function isWriter(connection: DatabaseConnection, { mayOnlyRead, schema }: CompleteOptions): Promise<boolean> {
  const [row] = await connection.query("SELECT has_table_privilege('object', 'INSERT'), current_user");
  if (row?.[0] === 't') return true;
  if (mayOnlyRead) return false;
  throw new IncompatibleDatabaseError(
    `the database role ${row?.[1]} may not write to the schema ${schema}, as an api-server has to: ` +
      'orchctl storage roles gives roles what they need',
  );
}
