import { StoreUnavailableError } from './face/errors.js';
import type { Key, TypeId, Version } from './face/key.js';
import type { PoolStats } from './face/observer.js';
import type { ServingStore } from './face/serving-store.js';
import type {
  Change,
  CreateOp,
  Head,
  HistoricChange,
  Measure,
  PriorDetail,
  Row,
  SetOutcome,
  Snapshot,
  SnapshotRequest,
  WriteOp,
  WriteOutcome,
} from './face/store.js';
import type { TypeName } from './face/type-name.js';
import type { AnnouncementKeys } from './maintenance/announcement-keys.js';
import type { Compactor } from './maintenance/compactor.js';
import type { Expirer } from './maintenance/expirer.js';
import type { LeaseState, ProcessLease } from './maintenance/lease.js';
import { IncompatibleDatabaseError, type Installation, type Migration } from './maintenance/migrate.js';
import type { LeastProgress, Presence } from './maintenance/presence.js';
import type { SideSchema } from './maintenance/side-schema.js';
import type { PostgresStore } from './postgres-store.js';
import type { Uncharged } from './writes/uncharged.js';

/** A type that is stored in a database of its own. */
export interface Placement {
  /** Group of the type as it is registered; empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** The store of its database; closed by the store that it belongs to. */
  readonly store: PostgresStore;
}

interface Place {
  readonly store: PostgresStore;
  /** The type's id in that store. */
  readonly type: TypeId;
}

/**
 * Several databases as one store: some types are placed in databases other than the main one. Types are known by their
 * ids in the main database. Each database draws its own versions, as they are only ever compared within a type.
 *
 * A namespace and its contents may then lie in different databases. A creation checks its namespace before and again
 * after its commit, and deletes the object again when the namespace has begun to terminate: whoever empties the
 * namespace sees the object, or the creation removes it. A process that dies in between leaves it behind.
 */
export class PlacedStore implements ServingStore {
  readonly #stores: readonly PostgresStore[];
  readonly #places = new Map<TypeId, Place>();
  /** Types by their ids in each store other than the main one. */
  readonly #ids = new Map<PostgresStore, Map<TypeId, TypeId>>();
  #namespaces: TypeId = 0;

  constructor(
    private readonly main: PostgresStore,
    private readonly placements: readonly Placement[],
  ) {
    this.#stores = [...new Set([main, ...placements.map(({ store }) => store)])];
  }

  get installation(): Installation {
    return this.main.installation;
  }

  get compactors(): readonly Compactor[] {
    return this.#stores.flatMap(({ compactors }) => compactors);
  }

  /** @throws IncompatibleDatabaseError when a type that is placed elsewhere has objects in the main database */
  async registerTypes(types: readonly { group: string; resource: string }[]): Promise<readonly TypeId[]> {
    const ids = await this.main.registerTypes(types);
    for (const [i, { group, resource }] of types.entries()) {
      const placement = this.placements.find((one) => one.group === group && one.resource === resource);
      const id = ids[i];
      if (placement && id !== undefined) await this.#place(id, placement);
    }
    return ids;
  }

  types(): Promise<readonly TypeName[]> {
    return this.main.types();
  }

  async #place(id: TypeId, { group, resource, store }: Placement): Promise<void> {
    if ((await this.main.measure(id, 1)).objects > 0) {
      const name = group === '' ? resource : `${group}/${resource}`;
      throw new IncompatibleDatabaseError(
        `${name} is placed in another database, but there are some in the main one: move or delete them first`,
      );
    }
    const [type = 0] = await store.registerTypes([{ group, resource }]);
    this.#places.set(id, { store, type });
    const known = this.#ids.get(store) ?? new Map<TypeId, TypeId>();
    this.#ids.set(store, known.set(type, id));
  }

  /** @throws IncompatibleDatabaseError when the namespaces are placed elsewhere: creations check the main database */
  setNamespaceType(type: TypeId): void {
    if (this.#places.has(type)) throw new IncompatibleDatabaseError('namespaces cannot be placed in another database');
    this.#namespaces = type;
    this.main.setNamespaceType(type);
  }

  /** Accounts that are placed elsewhere are not charged, nor are writes of types that are. */
  setAccountType(type: TypeId): void {
    this.main.setAccountType(type);
  }

  async write(op: WriteOp): Promise<WriteOutcome> {
    const { store, type } = this.#placeOf(op.type);
    if (store === this.main) return store.write(op);
    const apart = { ...op, type, charging: undefined };
    if (apart.op !== 'create' || !apart.requireNamespace) return store.write(apart);
    return this.#createApart(store, { ...apart, requireNamespace: false });
  }

  async #createApart(store: PostgresStore, op: CreateOp): Promise<WriteOutcome> {
    const before = await this.main.namespaceState(this.#namespaces, op.namespace);
    if (before !== 'open') return { outcome: before };
    const outcome = await store.write(op);
    if (outcome.outcome !== 'committed') return outcome;
    const after = await this.main.namespaceState(this.#namespaces, op.namespace);
    if (after === 'open') return outcome;
    for (let row = await store.get(op.type, op); row?.uid === op.uid; row = await store.get(op.type, op)) {
      const { type, namespace, name } = op;
      const { version, storedVersion, defaults, body } = row;
      await store.write({ op: 'delete', type, namespace, name, version, storedVersion, defaults, body });
    }
    return { outcome: after };
  }

  /** @throws TypeError also for a set over several databases, which could not be committed together */
  writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    const places = ops.map(({ type }) => this.#placeOf(type));
    const [{ store } = { store: this.main }] = places;
    // A required namespace is checked in the main database.
    const across = store !== this.main && ops.some((op) => op.op === 'create' && op.requireNamespace);
    if (across || places.some((place) => place.store !== store)) {
      return Promise.reject(new TypeError('a set cannot be of several databases: a part of it is placed in another'));
    }
    if (store === this.main) return store.writeSet(ops);
    return store.writeSet(ops.map((op, i) => ({ ...op, type: places[i]?.type ?? op.type, charging: undefined })));
  }

  get(type: TypeId, key: Key): Promise<Row | undefined> {
    const place = this.#placeOf(type);
    return place.store.get(place.type, key);
  }

  getStale(type: TypeId, key: Key): Promise<Row | undefined> {
    const place = this.#placeOf(type);
    return place.store.getStale(place.type, key);
  }

  async changes(type: TypeId, after: Version, limit: number, prior?: PriorDetail): Promise<readonly HistoricChange[]> {
    const place = this.#placeOf(type);
    const changes = await place.store.changes(place.type, after, limit, prior);
    return place.store === this.main ? changes : changes.map((change) => ({ ...change, type }));
  }

  snapshot(request: SnapshotRequest): Promise<Snapshot> {
    const { store, type } = this.#placeOf(request.type);
    return store.snapshot({ ...request, type });
  }

  /** Types with objects in a namespace; all types of a database that does not answer: reading them shows the error. */
  async typesIn(namespace: string): Promise<readonly TypeId[]> {
    const apart = this.#stores.slice(1).map(async (store) => {
      const known = this.#ids.get(store) ?? new Map<TypeId, TypeId>();
      const held = await store.typesIn(namespace).catch((error: unknown) => {
        if (error instanceof StoreUnavailableError) return [...known.keys()];
        throw error;
      });
      return held.flatMap((type) => known.get(type) ?? []);
    });
    return (await Promise.all([this.main.typesIn(namespace), ...apart])).flat();
  }

  measure(type: TypeId, objects: number): Promise<Measure> {
    const place = this.#placeOf(type);
    return place.store.measure(place.type, objects);
  }

  settledHead(type: TypeId, version: Version): Promise<Head> {
    const place = this.#placeOf(type);
    return place.store.settledHead(place.type, version);
  }

  lastVersion(type: TypeId): Promise<Version> {
    const place = this.#placeOf(type);
    return place.store.lastVersion();
  }

  database(type: TypeId): number {
    return this.#stores.indexOf(this.#placeOf(type).store);
  }

  async heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    const asked = new Map<PostgresStore, TypeId[]>();
    for (const id of types) {
      const { store } = this.#placeOf(id);
      asked.set(store, [...(asked.get(store) ?? []), id]);
    }
    const answers = await Promise.all(
      [...asked].map(async ([store, ids]) => {
        const heads = await store.heads(ids.map((id) => this.#placeOf(id).type));
        return ids.flatMap((id) => {
          const head = heads.get(this.#placeOf(id).type);
          return head ? [[id, head] as const] : [];
        });
      }),
    );
    return new Map(answers.flat());
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    const stops = this.#stores.map((store) =>
      store.onCommit((changes) => listener(store === this.main ? changes : this.#known(store, changes))),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }

  #known(store: PostgresStore, changes: readonly Change[]): Change[] {
    return changes.map((change) => ({ ...change, type: this.#ids.get(store)?.get(change.type) ?? change.type }));
  }

  onRewind(listener: () => void): () => void {
    const stops = this.#stores.map((store) => store.onRewind(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  noteAnnounced(type: TypeId, version: Version): void {
    const place = this.#placeOf(type);
    place.store.noteAnnounced(place.type, version);
  }

  isLost(type: TypeId, version: Version): boolean {
    const place = this.#placeOf(type);
    return place.store.isLost(place.type, version);
  }

  expirer(type: TypeId, timeToLive: number): Expirer {
    const place = this.#placeOf(type);
    return place.store.expirer(place.type, timeToLive);
  }

  lease(name: string, duration: number): ProcessLease {
    return this.main.lease(name, duration);
  }

  leases(): readonly LeaseState[] {
    return this.main.leases();
  }

  heldLeases(prefix: string): Promise<readonly string[]> {
    return this.main.heldLeases(prefix);
  }

  besideSchema(schema: string, migrations: readonly Migration[]): SideSchema {
    return this.main.besideSchema(schema, migrations);
  }

  presence(duration: number): Presence {
    return this.main.presence(duration);
  }

  leastProgress(): Promise<LeastProgress | undefined> {
    return this.main.leastProgress();
  }

  announcementKeys(rotation: number): Promise<AnnouncementKeys> {
    return this.main.announcementKeys(rotation);
  }

  onAnnouncementKeysForgotten(listener: () => void): () => void {
    return this.main.onAnnouncementKeysForgotten(listener);
  }

  uncharged(): Promise<Uncharged> {
    return this.main.uncharged();
  }

  forgetUncharged(upTo: bigint): Promise<void> {
    return this.main.forgetUncharged(upTo);
  }

  pools(): [name: string, PoolStats][] {
    const [main, ...others] = this.#stores.map((store) => store.pools());
    return [...(main ?? []), ...others.flatMap((pools, i) => pools.map(named(i + 1)))];
  }

  /** Pings the main database: a failure of another one affects only its own types. */
  ping(): Promise<void> {
    return this.main.ping();
  }

  prepareClose(): void {
    for (const store of this.#stores) store.prepareClose();
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close()));
  }

  #placeOf(type: TypeId): Place {
    return this.#places.get(type) ?? { store: this.main, type };
  }
}

const named =
  (database: number) =>
  ([name, stats]: [string, PoolStats]): [string, PoolStats] => [`${name}-${database}`, stats];
