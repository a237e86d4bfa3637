import type { UnreadableBodyError } from '../sealing/body-cipher.js';
import type { Key, TypeId, Version } from './key.js';

/** Current state of one object. `body` is the stored form: compact JSON without apiVersion, kind and resourceVersion. */
export interface Row extends Key {
  /** Given when the object was created; never changes. */
  readonly uid: string;
  /** The version of the last write. */
  readonly version: Version;
  /** Version of the API in which the body is stored; empty: the one in which the previous release stored the kind. */
  readonly storedVersion: string;
  /** Number of the defaults that were filled in, by the writer's numbering for the kind; 0: unknown, or none. */
  readonly defaults: number;
  /** Stored form, UTF-8; may be a view of a larger buffer. */
  readonly body: Buffer;
}

/** A committed change. `previous` is the version of the change before it in the same type (0 for the first). */
export interface Change extends Key {
  /** From {@link Store.registerTypes}. */
  readonly type: TypeId;
  /** The version that the change made. */
  readonly version: Version;
  /** Version of the change before it in the same type; 0 for the type's first. */
  readonly previous: Version;
  /** The operation. */
  readonly op: 'create' | 'update' | 'delete';
  /** Uid of the object. */
  readonly uid: string;
  /** Version of the API in which the body is stored, as in a {@link Row}. */
  readonly storedVersion: string;
  /** Number of the defaults that the body was given, as in a {@link Row}. */
  readonly defaults: number;
  /** New state; for a delete the last state. */
  readonly body: Buffer;
  /** The stored form of a sealed body, to announce to other servers. Only present in {@link Store.onCommit}. */
  readonly sealed?: Buffer;
  /** Commit time of the database's clock, milliseconds since 1970; for metrics only, never for order. */
  readonly at: number;
}

/**
 * How much of the state before a change to return: all of it, or only the version at which it was written, if it
 * existed. An unused body would cost as much to read, send and open as the one after the change.
 */
export type PriorDetail = 'body' | 'version';

/** A change with the state before it, as history keeps it. All fields about that state are absent for creations. */
export interface HistoricChange extends Change {
  /** Body before the change; absent too if no bodies were requested. */
  readonly prior?: Buffer;
  /** Version of the previous write. */
  readonly priorVersion?: Version;
  /** Version of the API in which the state before is stored. */
  readonly priorStoredVersion?: string;
  /** Number of the defaults that the state before was given. */
  readonly priorDefaults?: number;
}

/** Amounts that a write adds to, or subtracts from, an account of its namespace. */
export interface Charge {
  /** Name of the account. */
  readonly account: string;
  /** Differences as decimal numbers (`-1`, `0.5`), by names of amounts; those that the account lacks are ignored. */
  readonly amounts: Readonly<Record<string, string>>;
  /** Refuses the write when a limit is exceeded or the used amount has not been counted yet. Default false. */
  readonly limited?: boolean;
}

/** Accounts that a write is charged to. */
export interface Charging {
  /** The accounts were read at this version of their type, or a later one. */
  readonly known: Version;
  /** Charges to accounts of the same namespace, each account at most once. Default: none. */
  readonly charges?: readonly Charge[];
}

/** An amount of an account. */
export interface TalliedAmount {
  /** Decimal number. */
  readonly limit: string;
  /** Decimal number: the used amount at the version of the write; absent while it has not been counted. */
  readonly used?: string;
  /** Formatted in units of 1024, not of 1000. */
  readonly binary?: boolean;
}

/** Data that makes an object an account. */
export interface Tally {
  /**
   * Position of the used amounts in its body: an object of quantities by names, so many bytes long and beginning so
   * many bytes before the end. The store rewrites it with each batch that charges the account.
   */
  readonly place: { readonly fromEnd: number; readonly length: number };
  /** Amounts by name: letters, digits, `-._/`. */
  readonly amounts: Readonly<Record<string, TalliedAmount>>;
  /** Whether it counts the same as before: writes planned earlier may then be charged to it. Default false. */
  readonly sameTerms?: boolean;
}

interface Written {
  /** Absent: accounts were not looked up, and none is charged. */
  readonly charging?: Charging | undefined;
  /** Version of the API in which the body is stored, up to 63 bytes; default empty, as in a {@link Row}. */
  readonly storedVersion?: string;
  /** Number of the defaults that the body was given, up to 32767; default 0, as in a {@link Row}. */
  readonly defaults?: number;
  /** Sealed form, stored and announced in place of the body; set by the sealing store only. Default: the body. */
  readonly sealed?: Buffer;
  /** Caller that asks, for the observer alone: the store does not read it. */
  readonly origin?: unknown;
}

/** Creates an object, if its key is free. */
export interface CreateOp extends Key, Written {
  /** Discriminates it from the other writes. */
  readonly op: 'create';
  /** From {@link Store.registerTypes}. */
  readonly type: TypeId;
  /** Permanent uid of the object. */
  readonly uid: string;
  /** Stored form, UTF-8. */
  readonly body: Buffer;
  /** Require that the namespace exists and is not terminating, decided in the same transaction. */
  readonly requireNamespace: boolean;
  /** Amounts of the object, if it is an account. */
  readonly tally?: Tally | undefined;
}
/** Replaces the body of an object. */
export interface UpdateOp extends Key, Written {
  /** Discriminates it from the other writes. */
  readonly op: 'update';
  /** From {@link Store.registerTypes}. */
  readonly type: TypeId;
  /** The version that was read, or, in a set, was made by the write before it; anything else there is a conflict. */
  readonly version: Version | 'previous';
  /** Stored form, UTF-8. */
  readonly body: Buffer;
  /** Marks the object as terminating (`deletionTimestamp` set); checked by `requireNamespace` of others. */
  readonly terminating: boolean;
  /** Amounts of the object, if it is an account. */
  readonly tally?: Tally | undefined;
}
/** Deletes an object. */
export interface DeleteOp extends Key, Written {
  /** Discriminates it from the other writes. */
  readonly op: 'delete';
  /** From {@link Store.registerTypes}. */
  readonly type: TypeId;
  /** Same as {@link UpdateOp.version}. */
  readonly version: Version | 'previous';
  /** Last state, as watchers will see it. */
  readonly body: Buffer;
}
/** A write of one object, discriminated by `op`. */
export type WriteOp = CreateOp | UpdateOp | DeleteOp;

/** Why a write was refused; a conflict with the version that was found. */
export type WriteRefusal =
  | { readonly outcome: 'already-exists' }
  | { readonly outcome: 'conflict'; readonly version: Version }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'namespace-not-found' }
  | { readonly outcome: 'namespace-terminating' }
  /** The terms of an account have been written meanwhile: the write must be planned again with the current ones. */
  | { readonly outcome: 'accounts-changed' }
  | { readonly outcome: 'exceeded'; readonly exceeded: readonly Exceeded[] };

/** An amount that would have exceeded its limit, or that has not been counted yet. */
export interface Exceeded {
  /** Name of the account. */
  readonly account: string;
  /** Name of the amount. */
  readonly amount: string;
  /** Decimal number; absent while it has not been counted. */
  readonly used?: string;
  /** Decimal number. */
  readonly limit: string;
}

/** Outcome of a write; all but `committed` have changed nothing. */
export type WriteOutcome = { readonly outcome: 'committed'; readonly version: Version } | WriteRefusal;

/** Outcome of a set: the versions of all of its writes, or which of them was refused, and why nothing was written. */
export type SetOutcome =
  | { readonly outcome: 'committed'; readonly versions: readonly Version[] }
  | { readonly outcome: 'refused'; readonly item: number; readonly refusal: WriteRefusal };

/** How far a type's history reaches: everything in (floor, head] can be replayed. */
export interface Head {
  /** Version of the last change; 0 when there was none. */
  readonly head: Version;
  /** Least version to resume from, or to list at; the changes up to it may be forgotten. */
  readonly floor: Version;
}

/** Which part of a type's state to read. */
export interface SnapshotRequest {
  /** From {@link Store.registerTypes}. */
  readonly type: TypeId;
  /** Only this namespace; undefined for all. */
  readonly namespace?: string;
  /** Start after this key, in byte order of (namespace, name). */
  readonly after?: Key;
  /** Maximum number of rows; undefined for all. */
  readonly limit?: number;
  /** The state at exactly this version (at most the head); undefined for now. */
  readonly at?: Version;
  /** Allows a slightly stale state; never behind what this process has read or written. */
  readonly stale?: boolean;
  /** Find out before the rows whether the limit cuts some off; or count those too, which reads the whole collection. */
  readonly cut?: 'find' | 'count';
  /**
   * Called for each object whose body cannot be opened, before the page that it would be in: it is left out then. If
   * absent, the pages throw the error.
   */
  readonly onUnreadable?: (error: UnreadableBodyError, version: Version) => void;
}

/** A consistent state. The rows stream in pages with back-pressure; leaving the loop early releases the connection. */
export interface Snapshot {
  /** The version of the state: no change after it is in the rows, and every one up to it is. */
  readonly version: Version;
  /** In byte order of (namespace, name), to be read once; throws StoreUnavailableError when the database fails. */
  readonly pages: AsyncIterable<readonly Row[]>;
  /** The last row within the limit, where rows remain behind it; only when asked for, and known before the first page. */
  readonly last?: Key;
  /** How many those are; only when asked for, and at an older version only if they are not very many. */
  readonly remaining?: number;
}

/** The part of a store that followers of changes need. */
export interface ChangeSource {
  /** Which database holds a type: 0 for the main one. Types of one database fail together, and those of others without them. */
  database(type: TypeId): number;
  /**
   * Heads of these types, from the primary, read after the call began; concurrent calls share queries.
   * @throws StoreUnavailableError when one of their databases does not answer
   */
  heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>>;
  /**
   * Returns changes of a type after a version, ascending, at most `limit`.
   * @param prior what the caller reads of the states before them: the result may hold more; default `body`
   * @throws HistoryExpiredError when `after` is below the floor, or lost.
   */
  changes(type: TypeId, after: Version, limit: number, prior?: PriorDetail): Promise<readonly HistoricChange[]>;
  /**
   * Opens a consistent state. The caller must read the pages or return from the iteration, or a connection stays taken.
   * @throws HistoryExpiredError when `at` is below the floor, or lost; RangeError when it is above the head;
   * StoreUnavailableError
   */
  snapshot(request: SnapshotRequest): Promise<Snapshot>;
  /** Called when the database turns out to have gone back in time; everything derived from it must be rebuilt. */
  onRewind(listener: () => void): () => void;
  /**
   * Registers a listener for each time that {@link changes} of a type were asked for and the next of them, of this
   * version, cannot be read for now, as the service that has its key does not answer: a follower that cannot wait
   * starts over from the state.
   */
  onStalledHistory?(type: TypeId, listener: (at: Version) => void): () => void;
  /** Counts an object that was left out, as its body cannot be opened. */
  noteLeftOut?(error: UnreadableBodyError): void;
  /** Records a version that was announced in any way; a database found without it has gone back in time. */
  noteAnnounced(type: TypeId, version: Version): void;
  /** Whether a version may have been announced before a failover or a restore lost it: it is in no history. */
  isLost(type: TypeId, version: Version): boolean;
  /** The highest version ever drawn in the database that holds a type; concurrent calls share queries. */
  lastVersion(type: TypeId): Promise<Version>;
}

/** Size of a type. */
export interface Measure {
  /** Counted up to the number that was asked for. */
  readonly objects: number;
  /** Bytes of their bodies as stored, where field owners take up less. */
  readonly bytes: number;
}

/** The read operations of a store; for those who write nothing. */
export type ReadingStore = Omit<Store, 'write' | 'writeSet'>;

/** State and history of all objects: bytes, keys and versions; knows no kinds and no HTTP. */
export interface Store extends ChangeSource {
  /** Ids of resource types, registering those that are new. The namespaces' own type must be among the first call's. */
  registerTypes(types: readonly { group: string; resource: string }[]): Promise<readonly TypeId[]>;
  /** Sets the type of the namespaces that `requireNamespace` checks. */
  setNamespaceType(type: TypeId): void;
  /** Sets the type of the accounts that writes are charged to. */
  setAccountType(type: TypeId): void;
  /**
   * Commits one write, which is decided on its own though committed in a batch. Resolves after the commit is durable.
   * @throws StoreUnavailableError; TypeError for what cannot be stored
   */
  write(op: WriteOp): Promise<WriteOutcome>;
  /**
   * Commits writes together, each with a version of its own in the order given, or none of them: all are checked before
   * any is applied. They may be of several types of one database, and of different objects; only an update or deletion
   * of the version `previous` is of the object written before it. A creation must not require a namespace that an
   * earlier write of the set ends; a namespace that it requires must exist before the set.
   * @throws StoreUnavailableError; TypeError for what cannot be a set
   */
  writeSet(ops: readonly WriteOp[]): Promise<SetOutcome>;
  /** The object as of a moment after the call began. */
  get(type: TypeId, key: Key): Promise<Row | undefined>;
  /** The object now or slightly stale; never behind what this process has read or written. */
  getStale(type: TypeId, key: Key): Promise<Row | undefined>;
  /** The types that have objects in a namespace, as of a moment after the call began. */
  typesIn(namespace: string): Promise<readonly TypeId[]>;
  /** Measures how much a type holds, counting at most this many objects. */
  measure(type: TypeId, objects: number): Promise<Measure>;
  /** The type's head once it has reached a version, or else once every write in flight at the time of the call has ended. */
  settledHead(type: TypeId, version: Version): Promise<Head>;
  /** Registers a listener for changes committed through this store, per type ascending, right after each commit. */
  onCommit(listener: (changes: readonly Change[]) => void): () => void;
  /** Resolves when the database answers; for readiness. */
  ping(): Promise<void>;
  /** Finishes work in progress and closes all connections. */
  close(): Promise<void>;
}
