import type { DatabaseConnection } from '../connections/connection.js';
import { ConnectionLostError } from '../connections/failures.js';
import type { Pool } from '../connections/pool.js';
import type { BodyCodec } from '../face/body-codec.js';
import { StoreUnavailableError } from '../face/errors.js';
import type { Key, TypeId } from '../face/key.js';
import { isPossibleKey } from '../face/key.js';
import type { Row, Snapshot, SnapshotRequest } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import { ROW_COLUMNS, readRow, text } from './rows.js';
import type { Snapshots } from './snapshot.js';

/** Milliseconds for which a failed replica is not used. */
const REST = 2_000;

// The last era comes first, as in queries to the primary.
const GET = `
SELECT t.head, ${ROW_COLUMNS}
  FROM resource_type t
  LEFT JOIN LATERAL (
    SELECT * FROM object x
     WHERE x.type = t.id AND x.namespace = $2 COLLATE "C"
       AND x.name = $3 COLLATE "C" ORDER BY x.era DESC LIMIT 1) o ON true
 WHERE t.id = $1`;

/** Refuses a database that is not a replica of ours. */
export const followerOf =
  (clusterId: string) =>
  async (connection: DatabaseConnection): Promise<void> => {
    const [row] = await connection.query('SELECT cluster_id FROM installation');
    if (row?.[0] !== clusterId) throw new ConnectionLostError('the read replica is of another installation');
  };

/**
 * Reads that may be slightly stale, from a database that follows the primary. It is used only for versions at least as
 * new as everything that this process has read or written of the type, so that no client sees a type go back in time.
 */
export class Replica {
  #restingUntil = 0;

  constructor(
    private readonly reads: Pool,
    private readonly snapshots: Snapshots,
    private readonly lineage: Lineage,
    private readonly bodies: BodyCodec,
  ) {}

  /** @returns undefined when the primary has to be asked */
  async get(type: TypeId, key: Key): Promise<{ readonly row: Row | undefined } | undefined> {
    if (!isPossibleKey(key)) return { row: undefined };
    return this.#ask(() => this.reads.use((connection) => this.#get(connection, type, key)));
  }

  /** @returns undefined when the primary has to be asked */
  snapshot(request: SnapshotRequest): Promise<Snapshot | undefined> {
    return this.#ask(async () => {
      const snapshot = await this.snapshots.take(request);
      if (this.#isNew(request.type, snapshot.version)) return snapshot;
      await snapshot.pages[Symbol.asyncIterator]().return?.();
      return undefined;
    });
  }

  async #get(connection: DatabaseConnection, type: TypeId, key: Key) {
    const [row] = await connection.statement('replica_get', GET, [type, key.namespace, key.name]);
    if (!row || !this.#isNew(type, BigInt(text(row, 0)))) return undefined;
    return { row: row[1] === null ? undefined : readRow(row, 1, this.bodies) };
  }

  #isNew(type: TypeId, head: bigint): boolean {
    if (head < this.lineage.seen(type)) return false;
    this.lineage.observe(type, head);
    return true;
  }

  async #ask<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
    if (performance.now() < this.#restingUntil) return undefined;
    try {
      return await read();
    } catch (error) {
      // An error in one caller's request shows nothing about the replica; the primary reports it.
      if (error instanceof StoreUnavailableError) this.#restingUntil = performance.now() + REST;
      return undefined;
    }
  }
}
