import type { Head, Key, ObjectStore, Row, SetOutcome, TypeId, Version, WriteOp, WriteOutcome } from '@orch/storage';

/**
 * Objects in memory that nobody else sees, as a store has them: writes are decided by key and version, and nothing is
 * announced. What namespaces and accounts of the database would refuse is accepted.
 */
export class ScratchStore implements ObjectStore {
  #rows = new Map<string, Row>();
  #last: Version = 0n;

  /** See {@link ObjectStore.get}. */
  async get(type: TypeId, key: Key): Promise<Row | undefined> {
    return this.#rows.get(idOf(type, key));
  }

  /** See {@link ObjectStore.getStale}. */
  getStale(type: TypeId, key: Key): Promise<Row | undefined> {
    return this.get(type, key);
  }

  /** No version is lost. */
  isLost(): boolean {
    return false;
  }

  /** See {@link ObjectStore.lastVersion}. */
  async lastVersion(): Promise<Version> {
    return this.#last;
  }

  /** See {@link ObjectStore.settledHead}. */
  async settledHead(): Promise<Head> {
    return { head: this.#last, floor: 0n };
  }

  /** See {@link ObjectStore.write}. */
  async write(op: WriteOp): Promise<WriteOutcome> {
    return this.#write(op);
  }

  /** See {@link ObjectStore.writeSet}. */
  async writeSet(ops: readonly WriteOp[]): Promise<SetOutcome> {
    const before = new Map(this.#rows);
    const versions: Version[] = [];
    for (const [item, op] of ops.entries()) {
      const outcome = this.#write(op);
      if (outcome.outcome !== 'committed') {
        this.#rows = before;
        return { outcome: 'refused', item, refusal: outcome };
      }
      versions.push(outcome.version);
    }
    return { outcome: 'committed', versions };
  }

  #write(op: WriteOp): WriteOutcome {
    const id = idOf(op.type, op);
    const found = this.#rows.get(id);
    if (op.op === 'create') {
      if (found) return { outcome: 'already-exists' };
    } else if (!found) return { outcome: 'not-found' };
    else if (op.version !== 'previous' && op.version !== found.version)
      return { outcome: 'conflict', version: found.version };
    const version = ++this.#last;
    if (op.op === 'delete') this.#rows.delete(id);
    else this.#rows.set(id, rowOf(op, op.op === 'create' ? op.uid : (found?.uid ?? ''), version));
    return { outcome: 'committed', version };
  }
}

const idOf = (type: TypeId, { namespace, name }: Key): string => `${type}/${namespace}/${name}`;

const rowOf = (
  { namespace, name, body, storedVersion = '', defaults = 0 }: WriteOp,
  uid: string,
  version: Version,
): Row => ({
  ...{ namespace, name, uid, version, body, storedVersion, defaults },
});
