import {
  type ChangeSource,
  type Head,
  type HistoricChange,
  HistoryExpiredError,
  type Key,
  type PriorDetail,
  type Row,
  type Snapshot,
  type SnapshotRequest,
  StoreUnavailableError,
  type TypeId,
  type Version,
} from '@orch/storage';

interface TypeState {
  head: Version;
  floor: Version;
  history: HistoricChange[];
  rows: Map<string, Row>;
}

/** A store of one process for tests: it keeps whole histories, fails on demand, and counts what it is asked. */
export class MemorySource implements ChangeSource {
  readonly calls = { heads: 0, changes: 0, snapshot: 0 };
  /** The last version of each type that was said to have been announced. */
  readonly announced = new Map<TypeId, Version>();
  /** Versions of a history that was left. */
  readonly lost = new Set<Version>();
  /** The last version that other types have drawn. */
  drawn: Version = 0n;
  /** While true, every read fails as an unreachable database does. */
  down = false;
  /** What every read fails of, while there is any. */
  failure: Error | undefined;
  /** What reads of changes alone fail of, while there is any. */
  unreadable: Error | undefined;
  #types = new Map<TypeId, TypeState>();
  #last = 0n;
  #rewindListeners = new Set<() => void>();

  /** Commits a write and returns its change, which nobody hears of unless it is published. Deletes of nothing give undefined. */
  write(type: TypeId, op: 'put' | 'delete', key: Key, body: Buffer = Buffer.from('{}')): HistoricChange | undefined {
    const state = this.#state(type);
    const id = `${key.namespace}/${key.name}`;
    const before = state.rows.get(id);
    if (op === 'delete' && before === undefined) return undefined;
    this.#last += 1n;
    const version = this.#last;
    const change: HistoricChange = {
      type,
      version,
      previous: state.head,
      op: op === 'delete' ? 'delete' : before === undefined ? 'create' : 'update',
      namespace: key.namespace,
      name: key.name,
      uid: before?.uid ?? `uid-${version}`,
      body: op === 'delete' && before !== undefined ? before.body : body,
      storedVersion: '',
      defaults: 0,
      at: Number(version),
      ...(before === undefined ? {} : { prior: before.body, priorVersion: before.version }),
    };
    state.history.push(change);
    state.head = version;
    if (op === 'delete') state.rows.delete(id);
    else state.rows.set(id, { ...key, uid: change.uid, version, storedVersion: '', defaults: 0, body: change.body });
    return change;
  }

  head(type: TypeId): Version {
    return this.#state(type).head;
  }

  /** Every change of the type that was ever committed, also the compacted ones. */
  history(type: TypeId): readonly HistoricChange[] {
    return this.#state(type).history;
  }

  /** The objects after the changes up to a version (the head by default). */
  rows(type: TypeId, at?: Version): Row[] {
    const state = this.#state(type);
    if (at === undefined) return [...state.rows.values()].sort(byKey);
    const rows = new Map<string, Row>();
    for (const change of state.history) {
      if (change.version > at) break;
      const id = `${change.namespace}/${change.name}`;
      if (change.op === 'delete') rows.delete(id);
      else {
        const { namespace, name, uid, version, storedVersion, defaults, body } = change;
        rows.set(id, { namespace, name, uid, version, storedVersion, defaults, body });
      }
    }
    return [...rows.values()].sort(byKey);
  }

  compact(type: TypeId, floor: Version): void {
    const state = this.#state(type);
    if (floor > state.floor) state.floor = floor;
  }

  /** Goes back to the state at a version, as a restored backup does; with `tell`, listeners hear of it. */
  rewind(type: TypeId, to: Version, tell: boolean): void {
    const state = this.#state(type);
    const rows = this.rows(type, to);
    state.history = state.history.filter(({ version }) => version <= to);
    state.head = state.history.at(-1)?.version ?? 0n;
    state.rows = new Map(rows.map((row) => [`${row.namespace}/${row.name}`, row]));
    if (tell) for (const listener of [...this.#rewindListeners]) listener();
  }

  /** Lets the sequence skip numbers, as rolled-back transactions do. */
  skip(versions: bigint): void {
    this.#last += versions;
  }

  database(): number {
    return 0;
  }

  async heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    this.calls.heads++;
    this.#checkUp();
    return new Map(types.map((type) => [type, { head: this.#state(type).head, floor: this.#state(type).floor }]));
  }

  async changes(
    type: TypeId,
    after: Version,
    limit: number,
    prior: PriorDetail = 'body',
  ): Promise<readonly HistoricChange[]> {
    this.calls.changes++;
    this.#checkUp();
    if (this.unreadable) throw this.unreadable;
    const { floor, head, history } = this.#state(type);
    if (after < floor || this.lost.has(after)) throw new HistoryExpiredError(after, floor, head);
    const page = history.filter(({ version }) => version > after).slice(0, limit);
    return prior === 'body' ? page : page.map(({ prior: _unread, ...change }) => change);
  }

  async snapshot(request: SnapshotRequest): Promise<Snapshot> {
    this.calls.snapshot++;
    this.#checkUp();
    const rows = this.rows(request.type, request.at);
    const version = request.at ?? this.#state(request.type).head;
    return { version, pages: pagesOf(rows) };
  }

  noteAnnounced(type: TypeId, version: Version): void {
    this.announced.set(type, version);
  }

  isLost(_type: TypeId, version: Version): boolean {
    return this.lost.has(version);
  }

  async lastVersion(): Promise<Version> {
    this.#checkUp();
    return this.drawn > this.#last ? this.drawn : this.#last;
  }

  onRewind(listener: () => void): () => void {
    this.#rewindListeners.add(listener);
    return () => this.#rewindListeners.delete(listener);
  }

  #state(type: TypeId): TypeState {
    let state = this.#types.get(type);
    if (state === undefined) {
      state = { head: 0n, floor: 0n, history: [], rows: new Map() };
      this.#types.set(type, state);
    }
    return state;
  }

  #checkUp(): void {
    if (this.failure) throw this.failure;
    if (this.down) throw new StoreUnavailableError('switched off', false);
  }
}

function byKey(a: Row, b: Row): number {
  return (
    Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace)) ||
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
  );
}

async function* pagesOf(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += 100) yield rows.slice(at, at + 100);
}
