import {
  type Change,
  checkSet,
  checkSingle,
  type Head,
  type HistoricChange,
  HistoryExpiredError,
  type Key,
  type Measure,
  type PriorDetail,
  type Row,
  type SetOutcome,
  type Snapshot,
  type SnapshotRequest,
  type Store,
  StoreUnavailableError,
  type TypeId,
  type Version,
  type WriteOp,
  type WriteOutcome,
  type WriteRefusal,
} from '@orch/storage';
import { MemoryPages } from './memory-pages.js';

interface TypeState {
  head: Version;
  floor: Version;
  readonly history: HistoricChange[];
  readonly rows: Map<string, Row>;
}

const rowOf = ({ namespace, name, uid, version, body, storedVersion, defaults }: HistoricChange): Row => ({
  namespace,
  name,
  uid,
  version,
  body,
  storedVersion,
  defaults,
});
const idOf = ({ namespace, name }: Key): string => JSON.stringify([namespace, name]);
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const byKey = (a: Key, b: Key): number => compare(a.namespace, b.namespace) || compare(a.name, b.name);

/** What the stores of several processes have in common. */
class SharedState {
  readonly types: TypeState[] = [];
  readonly ids = new Map<string, TypeId>();
  readonly terminating = new Set<string>();
  last = 0n;
}

/** A Store of one process for tests: whole histories, failures on demand, and counts of what is asked and left open. */
export class MemoryStore implements Store {
  readonly writes: WriteOp[] = [];
  readonly calls = { get: 0, snapshot: 0, settledHead: 0, lastVersion: 0 };
  /** Snapshots whose pages have been neither read to the end nor let go. */
  openSnapshots = 0;
  /** Rows of a page. */
  pageRows = 500;
  /** While true, every call fails as an unreachable database does. */
  down = false;
  /** Runs before each write: may write itself, answer in its place, or throw. */
  beforeWrite: ((op: WriteOp) => Promise<WriteOutcome | undefined> | WriteOutcome | undefined) | undefined;
  /** Runs after each write was committed; what it throws is what the writer gets. */
  afterWrite: ((op: WriteOp) => void) | undefined;
  /** Commits are not announced, as those of another server before they have been heard of. */
  muted = false;
  readonly #listeners = new Set<(changes: readonly Change[]) => void>();
  #namespaces: TypeId = 0;
  #closed = false;

  /** @param shared what another store has written is here, too */
  constructor(private readonly shared = new SharedState()) {}

  /** Another process at the same database. */
  peer(): MemoryStore {
    const peer = new MemoryStore(this.shared);
    peer.setNamespaceType(this.#namespaces);
    return peer;
  }

  async registerTypes(types: readonly { group: string; resource: string }[]): Promise<readonly TypeId[]> {
    return types.map(({ group, resource }) => {
      const key = `${group}/${resource}`;
      const { ids, types: all } = this.shared;
      const known = ids.get(key);
      if (known !== undefined) return known;
      this.shared.last += 1n;
      all.push({ head: this.shared.last, floor: this.shared.last, history: [], rows: new Map() });
      ids.set(key, all.length);
      return all.length;
    });
  }

  setNamespaceType(type: TypeId): void {
    this.#namespaces = type;
  }

  /** Charges nothing to anybody. */
  setAccountType(): void {}

  async write(op: WriteOp): Promise<WriteOutcome> {
    checkSingle(op);
    const set = await this.writeSet([op]);
    return set.outcome === 'refused' ? set.refusal : { outcome: 'committed', version: set.versions[0] ?? 0n };
  }

  async writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    this.#check();
    checkSet(ops, this.#namespaces);
    for (const [item, op] of ops.entries()) {
      this.writes.push(op);
      const instead = this.beforeWrite && (await this.beforeWrite(op));
      if (!instead) continue;
      if (instead.outcome !== 'committed') return { outcome: 'refused', item, refusal: instead };
      return { outcome: 'committed', versions: ops.map(() => instead.version) };
    }
    const decided = this.#decide(ops);
    if (!Array.isArray(decided)) return decided;
    this.#announce(decided, ops);
    for (const op of ops) this.afterWrite?.(op);
    return { outcome: 'committed', versions: decided.map(({ version }) => version) };
  }

  /** All of a set, each upon what those before it have left; or nothing. */
  #decide(ops: readonly WriteOp[]): HistoricChange[] | Extract<SetOutcome, { outcome: 'refused' }> {
    const changes: HistoricChange[] = [];
    const undo: (() => void)[] = [];
    const required = ops.flatMap((op) => (op.op === 'create' && op.requireNamespace ? [op.namespace] : []));
    const closed = new Map(required.map((namespace) => [namespace, this.#namespaceRefusal(namespace)]));
    for (const [item, op] of ops.entries()) {
      const linked = op.op !== 'create' && op.version === 'previous';
      const refusal = this.#refusal(linked ? { ...op, version: changes.at(-1)?.version ?? 0n } : op, closed);
      if (refusal) {
        for (const step of undo.reverse()) step();
        return { outcome: 'refused', item, refusal };
      }
      undo.push(this.#remember(op));
      changes.push(this.#apply(op));
    }
    return changes;
  }

  /** Whatever listens hears of states after, not of those before, and of bodies as they were written and as they are stored. */
  #announce(changes: readonly HistoricChange[], ops: readonly WriteOp[]): void {
    if (this.muted) return;
    const told = changes.map(({ prior, priorVersion, priorStoredVersion, priorDefaults, ...change }, i): Change => {
      const { body, sealed } = ops[i] ?? change;
      return sealed ? { ...change, body, sealed } : change;
    });
    for (const listener of this.#listeners) listener(told);
  }

  async get(type: TypeId, key: Key): Promise<Row | undefined> {
    this.calls.get++;
    this.#check(key);
    return this.#state(type).rows.get(idOf(key));
  }

  getStale(type: TypeId, key: Key): Promise<Row | undefined> {
    return this.get(type, key);
  }

  async snapshot(request: SnapshotRequest): Promise<Snapshot> {
    this.calls.snapshot++;
    this.#check(request.after ?? { namespace: request.namespace ?? '', name: '' });
    const { head, floor } = this.#state(request.type);
    const at = request.at ?? head;
    if (at < floor) throw new HistoryExpiredError(at, floor, head);
    if (at > head) throw new RangeError(`version ${at} is above the head ${head}`);
    const { namespace, after, limit } = request;
    const rows = this.rows(request.type, at)
      .filter((row) => namespace === undefined || row.namespace === namespace)
      .filter((row) => after === undefined || byKey(row, after) > 0);
    this.openSnapshots++;
    const pages = new MemoryPages(rows.slice(0, limit), this.pageRows, () => this.openSnapshots--);
    if (request.cut === undefined || limit === undefined) return { version: at, pages };
    const remaining = Math.max(0, rows.length - limit);
    const last = remaining > 0 ? rows[limit - 1] : undefined;
    const { namespace: within = '', name = '' } = last ?? {};
    return {
      version: at,
      pages,
      ...(last && { last: { namespace: within, name } }),
      ...(request.cut === 'count' && { remaining }),
    };
  }

  async typesIn(namespace: string): Promise<readonly TypeId[]> {
    this.#check();
    const holds = (type: TypeId) => this.rows(type).some((row) => row.namespace === namespace);
    return this.shared.types.map((_, at) => at + 1).filter(holds);
  }

  async measure(type: TypeId): Promise<Measure> {
    this.#check();
    const rows = [...this.#state(type).rows.values()];
    return { objects: rows.length, bytes: rows.reduce((sum, { body }) => sum + body.length, 0) };
  }

  database(): number {
    return 0;
  }

  async heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    this.#check();
    return new Map(types.map((type) => [type, this.#head(type)]));
  }

  async changes(
    type: TypeId,
    after: Version,
    limit: number,
    prior: PriorDetail = 'body',
  ): Promise<readonly HistoricChange[]> {
    this.#check();
    const { floor, head, history } = this.#state(type);
    if (after < floor) throw new HistoryExpiredError(after, floor, head);
    const page = history.filter(({ version }) => version > after).slice(0, limit);
    return prior === 'body' ? page : page.map(({ prior: _unread, ...change }) => change);
  }

  async settledHead(type: TypeId): Promise<Head> {
    this.calls.settledHead++;
    this.#check();
    return this.#head(type);
  }

  async lastVersion(): Promise<Version> {
    this.calls.lastVersion++;
    this.#check();
    return this.shared.last;
  }

  onCommit(listener: (changes: readonly Change[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onRewind(): () => void {
    return () => undefined;
  }

  noteAnnounced(): void {}

  isLost(_type: TypeId, _version: Version): boolean {
    return false;
  }

  async ping(): Promise<void> {
    this.#check();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** The objects as of a version, in key order; now by default. */
  rows(type: TypeId, at?: Version): Row[] {
    const { rows, history, head } = this.#state(type);
    if (at === undefined || at === head) return [...rows.values()].sort(byKey);
    const then = new Map<string, Row>();
    for (const change of history) {
      if (change.version > at) break;
      if (change.op === 'delete') then.delete(idOf(change));
      else then.set(idOf(change), rowOf(change));
    }
    return [...then.values()].sort(byKey);
  }

  /** Drops history up to a version. */
  compact(type: TypeId, floor: Version): void {
    this.#state(type).floor = floor;
  }

  /** Drops all history, as when nobody writes for longer than it is kept. */
  compactAll(): void {
    for (const state of this.shared.types) state.floor = state.head;
  }

  /** Lets the sequence skip numbers, as rolled-back transactions and other types do. */
  skip(versions: bigint): void {
    this.shared.last += versions;
  }

  #head(type: TypeId): Head {
    const { head, floor } = this.#state(type);
    return { head, floor };
  }

  /** @param closed what is to be said of namespaces that are required, as they were before the set */
  #refusal(op: WriteOp, closed: ReadonlyMap<string, WriteRefusal | undefined>): WriteRefusal | undefined {
    const standing = this.#state(op.type).rows.get(idOf(op));
    if (op.op === 'create') {
      if (standing) return { outcome: 'already-exists' };
      return op.requireNamespace ? closed.get(op.namespace) : undefined;
    }
    if (!standing) return { outcome: 'not-found' };
    return standing.version === op.version ? undefined : { outcome: 'conflict', version: standing.version };
  }

  #namespaceRefusal(name: string): WriteRefusal | undefined {
    const key = idOf({ namespace: '', name });
    if (!this.#state(this.#namespaces).rows.has(key)) return { outcome: 'namespace-not-found' };
    return this.shared.terminating.has(key) ? { outcome: 'namespace-terminating' } : undefined;
  }

  /** How to put back what a write is about to change; versions that were drawn are spent. */
  #remember(op: WriteOp): () => void {
    const state = this.#state(op.type);
    const [id, row, head] = [idOf(op), state.rows.get(idOf(op)), state.head];
    const { terminating } = this.shared;
    const wasTerminating = terminating.has(id);
    return () => {
      if (row) state.rows.set(id, row);
      else state.rows.delete(id);
      state.head = head;
      state.history.pop();
      if (op.type !== this.#namespaces) return;
      if (wasTerminating) terminating.add(id);
      else terminating.delete(id);
    };
  }

  #apply(op: WriteOp): HistoricChange {
    const state = this.#state(op.type);
    const before = state.rows.get(idOf(op));
    this.shared.last += 1n;
    const { type, namespace, name, storedVersion = '', defaults = 0 } = op;
    const body = op.sealed ?? op.body;
    const uid = op.op === 'create' ? op.uid : (before?.uid ?? '');
    const change: HistoricChange = {
      type,
      namespace,
      name,
      body,
      storedVersion,
      defaults,
      uid,
      op: op.op,
      version: this.shared.last,
      previous: state.head,
      at: Date.now(),
      ...(before && {
        prior: before.body,
        priorVersion: before.version,
        priorStoredVersion: before.storedVersion,
        priorDefaults: before.defaults,
      }),
    };
    state.head = change.version;
    state.history.push(change);
    if (op.op === 'delete') state.rows.delete(idOf(op));
    else state.rows.set(idOf(op), rowOf(change));
    this.#noteTerminating(op);
    return change;
  }

  #noteTerminating(op: WriteOp): void {
    if (op.type !== this.#namespaces) return;
    if (op.op === 'update' && op.terminating) this.shared.terminating.add(idOf(op));
    if (op.op === 'delete') this.shared.terminating.delete(idOf(op));
  }

  #state(type: TypeId): TypeState {
    const state = this.shared.types[type - 1];
    if (!state) throw new Error(`type ${type} is not registered`);
    return state;
  }

  /** Text that PostgreSQL cannot hold must never get here. */
  #check(key?: Key): void {
    if (this.#closed) throw new StoreUnavailableError('the store is closed', false);
    if (this.down) throw new StoreUnavailableError('switched off', false);
    if (key && `${key.namespace}${key.name}`.includes('\0'))
      throw new Error('invalid byte sequence for encoding: 0x00');
  }
}
