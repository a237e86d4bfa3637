import { DatabaseError } from 'pg';
import type { DatabaseConnection } from '../connections/connection.js';
import { sqlState } from '../connections/failures.js';

/** Milliseconds that writers may have to wait behind a drop that waits for a read of history. */
const PATIENCE = 50;

/**
 * Locked partitions to run into in a round before the others are left alone: a read of history locks all of them, and
 * each failed attempt delays readers and writers; a lock on a single one is no reason to keep the others.
 */
const LOCKED_AT_MOST = 2;

/** Milliseconds for which a round drops: less than its lease, also where a long outage has left thousands. */
const LONGEST_ROUND = 30_000;

/** SQLSTATEs of lock conflicts, which pass when the other session releases its lock. */
const LOCKED = new Set(['55P03', '57014', '40P01']);

/** A partition past retention that could not be dropped. */
export interface LeftPartition {
  /** Its number: the table is `change_<number>`. */
  readonly number: bigint;
  /** Number of attempts by this process. */
  readonly attempts: number;
  /** Whether another session held a lock on it, or on history as a whole; if not, the database refuses permanently. */
  readonly locked: boolean;
  /** The database's error message. */
  readonly reason: string;
}

/** Result of dropping the partitions that were due. */
export interface DropReport {
  /** Numbers of the dropped partitions. */
  readonly dropped: readonly bigint[];
  /** Partitions that could not be dropped, in this round or in an earlier one. */
  readonly left: readonly LeftPartition[];
  /** Number of partitions that were locked, and of those that were not tried because of that. */
  readonly busy: number;
}

/** Drops partitions of the history; one that cannot be dropped does not block others, and is retried after them. */
export class PartitionDrops {
  readonly #left = new Map<bigint, LeftPartition>();

  /** @param due numbers, ascending; @throws the error that broke the connection */
  async run(connection: DatabaseConnection, due: readonly bigint[]): Promise<DropReport> {
    for (const number of this.#left.keys()) if (!due.includes(number)) this.#left.delete(number);
    const dropped: bigint[] = [];
    const began = performance.now();
    let locked = 0;
    let refused = 0;
    for (const number of this.#inTurn(due)) {
      if (locked === LOCKED_AT_MOST || performance.now() - began > LONGEST_ROUND) break;
      const left = await this.#drop(connection, number);
      if (left === undefined) dropped.push(number);
      else if (left.locked) locked++;
      else refused++;
    }
    const left = [...this.#left.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
    return { dropped: dropped.sort((a, b) => (a < b ? -1 : 1)), left, busy: due.length - dropped.length - refused };
  }

  /** The oldest first, and behind them those that failed before, the least tried first. */
  #inTurn(due: readonly bigint[]): bigint[] {
    const attempts = (number: bigint) => this.#left.get(number)?.attempts ?? 0;
    return due.toSorted((a, b) => attempts(a) - attempts(b));
  }

  /** Undefined when it has been dropped. */
  async #drop(connection: DatabaseConnection, number: bigint): Promise<LeftPartition | undefined> {
    try {
      await connection.query('SELECT drop_history_partition($1, $2)', [number, PATIENCE]);
      this.#left.delete(number);
      return undefined;
    } catch (error) {
      if (connection.broken) throw error;
      const { attempts = 0 } = this.#left.get(number) ?? {};
      const locked = LOCKED.has(sqlState(error) ?? '');
      const left = { number, attempts: attempts + 1, locked, reason: reasonOf(error) };
      this.#left.set(number, left);
      return left;
    }
  }
}

/** Returns the message of an error; the objects that depend on a table are listed in its detail. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return error instanceof DatabaseError && error.detail !== undefined ? `${message}: ${error.detail}` : message;
}
