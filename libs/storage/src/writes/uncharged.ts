import type { DatabaseConnection } from '../connections/connection.js';

/** Namespaces in which writes were not charged to the existing accounts, as by servers of the previous release. */
export interface Uncharged {
  /** Number to pass to {@link ServingStore.forgetUncharged} once all namespaces have been counted again. */
  readonly upTo: bigint;
  /** Each once. */
  readonly namespaces: readonly string[];
}

const READ = 'SELECT DISTINCT namespace, (SELECT max(number) FROM uncharged) FROM uncharged';

/** @throws StoreUnavailableError */
export async function readUncharged(connection: DatabaseConnection): Promise<Uncharged> {
  const rows = await connection.query(READ);
  return { upTo: BigInt(rows[0]?.[1] ?? 0), namespaces: rows.map(([namespace]) => namespace ?? '') };
}

/** @throws StoreUnavailableError */
export async function forgetUncharged(connection: DatabaseConnection, upTo: bigint): Promise<void> {
  await connection.query('DELETE FROM uncharged WHERE number <= $1', [String(upTo)]);
}
