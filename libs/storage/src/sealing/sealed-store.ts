import { HistoryExpiredError } from '../face/errors.js';
import type { Key, TypeId, Version } from '../face/key.js';
import type { PoolStats } from '../face/observer.js';
import type { ServingStore } from '../face/serving-store.js';
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
  WriteOp,
  WriteOutcome,
} from '../face/store.js';
import type { TypeName } from '../face/type-name.js';
import type { AnnouncementKeys } from '../maintenance/announcement-keys.js';
import type { Compactor } from '../maintenance/compactor.js';
import type { Expirer } from '../maintenance/expirer.js';
import type { LeaseState, ProcessLease } from '../maintenance/lease.js';
import type { Installation, Migration } from '../maintenance/migrate.js';
import type { LeastProgress, Presence } from '../maintenance/presence.js';
import type { SideSchema } from '../maintenance/side-schema.js';
import type { Uncharged } from '../writes/uncharged.js';
import {
  type BodyCipher,
  isSealed,
  UnreadableBodyError,
  UnreadableChangesError,
  UnreadableListError,
} from './body-cipher.js';
import { type LeavingOut, openedChanges, openedRow, openedRows } from './opened-rows.js';
import { SealingTurns } from './sealing-turns.js';

/** Observer of bodies that cannot be opened. */
interface SealedStoreObserver {
  /** History holds an unreadable change: followers are told that it has expired, or wait if that may be transient. */
  unreadableHistory?(error: UnreadableBodyError): void;
  /** An object was left out of a result; called each time that it is read. */
  leftOut?(error: UnreadableBodyError): void;
}

/** Placeholder for a type that is not registered; none of its bodies is ever sealed. */
const NO_TYPE: TypeName = { group: '', resource: '' };

/**
 * A store whose bodies are sealed on their way into the database and opened on their way out, which happens only here.
 * The database, its rows, history and copies, holds only the cipher's output; layers above never see that.
 */
export class SealedStore implements ServingStore {
  readonly #types = new Map<TypeId, TypeName>();
  readonly #sealing: SealingTurns;
  readonly #stalled = new Map<TypeId, Set<(at: Version) => void>>();

  constructor(
    private readonly inner: ServingStore,
    private readonly cipher: BodyCipher,
    private readonly observer: SealedStoreObserver = {},
  ) {
    this.#sealing = new SealingTurns(({ type, namespace, name, body }) =>
      cipher.seal(this.#nameOf(type), { namespace, name }, body),
    );
  }

  get installation(): Installation {
    return this.inner.installation;
  }

  get compactors(): readonly Compactor[] {
    return this.inner.compactors;
  }

  async registerTypes(types: readonly TypeName[]): Promise<readonly TypeId[]> {
    const ids = await this.inner.registerTypes(types);
    for (const [i, { group, resource }] of types.entries()) this.#types.set(ids[i] ?? 0, { group, resource });
    return ids;
  }

  types(): Promise<readonly TypeName[]> {
    return this.inner.types();
  }

  setNamespaceType(type: TypeId): void {
    this.inner.setNamespaceType(type);
  }

  setAccountType(type: TypeId): void {
    this.inner.setAccountType(type);
  }

  /** @throws UnsealableBodyError, and errors of the store */
  async write(op: WriteOp): Promise<WriteOutcome> {
    if (this.#isPlain(op)) return this.inner.write(op);
    const [sealed = op] = await this.#sealing.sealed([op]);
    return this.inner.write(sealed);
  }

  /** @throws UnsealableBodyError, and errors of the store */
  async writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    return this.inner.writeSet(ops.every((op) => this.#isPlain(op)) ? ops : await this.#sealing.sealed(ops));
  }

  #isPlain({ type }: WriteOp): boolean {
    return !this.cipher.concerns(this.#nameOf(type));
  }

  /** @throws UnreadableBodyError, and errors of the store */
  async get(type: TypeId, key: Key): Promise<Row | undefined> {
    const row = await this.inner.get(type, key);
    return row && openedRow(this.cipher, this.#nameOf(type), row);
  }

  /** @throws UnreadableBodyError, and errors of the store */
  async getStale(type: TypeId, key: Key): Promise<Row | undefined> {
    const row = await this.inner.getStale(type, key);
    return row && openedRow(this.cipher, this.#nameOf(type), row);
  }

  /** Whether an object is stored in an outdated form, so that writing the same body again makes a difference. */
  async isOutdated(type: TypeId, key: Key): Promise<boolean> {
    const name = this.#nameOf(type);
    if (!this.cipher.concerns(name)) return false;
    const row = await this.inner.get(type, key);
    return row !== undefined && !this.cipher.isCurrent(name, key, row.body);
  }

  /**
   * Returns the changes that can be read. When the first cannot, history appears to begin behind it: followers start
   * over from the state, which reports the error if its objects cannot be read either.
   * @throws HistoryExpiredError; UnreadableChangesError when the service that has the key does not answer
   */
  async changes(type: TypeId, after: Version, limit: number, prior?: PriorDetail): Promise<readonly HistoricChange[]> {
    const stored = await this.inner.changes(type, after, limit, prior);
    const { changes, unreadable } = await openedChanges(this.cipher, this.#nameOf(type), stored);
    if (!unreadable || changes.length > 0) return changes;
    const { at, error } = unreadable;
    this.observer.unreadableHistory?.(error);
    if (!error.passing) throw new HistoryExpiredError(after, at.version, stored.at(-1)?.version ?? at.version);
    for (const listener of [...(this.#stalled.get(type) ?? [])]) listener(at.version);
    throw new UnreadableChangesError(error);
  }

  onStalledHistory(type: TypeId, listener: (at: Version) => void): () => void {
    const listeners = this.#stalled.get(type) ?? new Set();
    this.#stalled.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  noteLeftOut(error: UnreadableBodyError): void {
    this.observer.leftOut?.(error);
  }

  /** Pages of the result throw UnreadableListError too, if `onUnreadable` is absent. */
  async snapshot({ onUnreadable, ...request }: SnapshotRequest): Promise<Snapshot> {
    const snapshot = await this.inner.snapshot(request);
    const leavingOut = onUnreadable && {
      leftOut: (error: UnreadableBodyError, { version }: Row) => onUnreadable(error, version),
    };
    return { ...snapshot, pages: this.#opened(request.type, snapshot.pages, leavingOut) };
  }

  /** Returning from the iteration, even before its first page, ends the inner one, which holds a connection. */
  #opened(type: TypeId, pages: Snapshot['pages'], leavingOut: LeavingOut | undefined): Snapshot['pages'] {
    const open = (page: readonly Row[]) => openedRows(this.cipher, this.#nameOf(type), page, leavingOut);
    return {
      [Symbol.asyncIterator]() {
        const inner = pages[Symbol.asyncIterator]();
        return {
          async next() {
            const next = await inner.next();
            if (next.done) return next;
            try {
              return { done: false, value: await open(next.value) };
            } catch (error) {
              await inner.return?.();
              throw error instanceof UnreadableBodyError ? new UnreadableListError(error) : error;
            }
          },
          async return() {
            await inner.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    };
  }

  /**
   * Registers a listener for commits. Bodies written through this store are passed on as they were given. The body of
   * another change stays sealed if it cannot be opened at once.
   */
  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    return this.inner.onCommit((changes) =>
      listener(changes.some(({ body }) => isSealed(body)) ? changes.map((change) => this.#committed(change)) : changes),
    );
  }

  #committed(change: Change): Change {
    const { body: sealed } = change;
    return isSealed(sealed) ? { ...change, body: this.openNow(change) ?? sealed, sealed } : change;
  }

  /** Opens the body of a change that others have sealed; undefined if that is not possible at once. */
  openNow({ type, namespace, name, body }: Pick<Change, 'type' | 'namespace' | 'name' | 'body'>): Buffer | undefined {
    try {
      const opened = this.cipher.open(this.#nameOf(type), { namespace, name }, body);
      if (Buffer.isBuffer(opened)) return opened;
      // A caller that reads it from the database opens it again, and gets the error.
      opened.catch(() => undefined);
      return undefined;
    } catch (error) {
      if (error instanceof UnreadableBodyError) return undefined;
      throw error;
    }
  }

  #nameOf(type: TypeId): TypeName {
    return this.#types.get(type) ?? NO_TYPE;
  }

  typesIn(namespace: string): Promise<readonly TypeId[]> {
    return this.inner.typesIn(namespace);
  }

  measure(type: TypeId, objects: number): Promise<Measure> {
    return this.inner.measure(type, objects);
  }

  settledHead(type: TypeId, version: Version): Promise<Head> {
    return this.inner.settledHead(type, version);
  }

  lastVersion(type: TypeId): Promise<Version> {
    return this.inner.lastVersion(type);
  }

  database(type: TypeId): number {
    return this.inner.database(type);
  }

  heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    return this.inner.heads(types);
  }

  onRewind(listener: () => void): () => void {
    return this.inner.onRewind(listener);
  }

  noteAnnounced(type: TypeId, version: Version): void {
    this.inner.noteAnnounced(type, version);
  }

  isLost(type: TypeId, version: Version): boolean {
    return this.inner.isLost(type, version);
  }

  expirer(type: TypeId, timeToLive: number): Expirer {
    return this.inner.expirer(type, timeToLive);
  }

  lease(name: string, duration: number): ProcessLease {
    return this.inner.lease(name, duration);
  }

  leases(): readonly LeaseState[] {
    return this.inner.leases();
  }

  heldLeases(prefix: string): Promise<readonly string[]> {
    return this.inner.heldLeases(prefix);
  }

  besideSchema(schema: string, migrations: readonly Migration[]): SideSchema {
    return this.inner.besideSchema(schema, migrations);
  }

  presence(duration: number): Presence {
    return this.inner.presence(duration);
  }

  leastProgress(): Promise<LeastProgress | undefined> {
    return this.inner.leastProgress();
  }

  announcementKeys(rotation: number): Promise<AnnouncementKeys> {
    return this.inner.announcementKeys(rotation);
  }

  onAnnouncementKeysForgotten(listener: () => void): () => void {
    return this.inner.onAnnouncementKeysForgotten(listener);
  }

  uncharged(): Promise<Uncharged> {
    return this.inner.uncharged();
  }

  forgetUncharged(upTo: bigint): Promise<void> {
    return this.inner.forgetUncharged(upTo);
  }

  pools(): [name: string, PoolStats][] {
    return this.inner.pools();
  }

  ping(): Promise<void> {
    return this.inner.ping();
  }

  prepareClose(): void {
    this.inner.prepareClose();
  }

  async close(): Promise<void> {
    await this.#sealing.drained();
    await this.inner.close();
  }
}
