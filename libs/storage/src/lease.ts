import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.js';

const TAKE = `
INSERT INTO maintenance_lease AS l (name, holder, until)
VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until
 WHERE l.until < clock_timestamp() OR l.holder = EXCLUDED.holder
RETURNING name`;

const GIVE_BACK = 'UPDATE maintenance_lease SET until = clock_timestamp() WHERE name = $1 AND holder = $2';

/** None is taken for longer than a minute at a time: what seems to be was taken before the clock of the database was set back. */
const HELD = `
SELECT name FROM maintenance_lease
 WHERE starts_with(name, $1) AND until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 minute'
 ORDER BY name`;

/** Names of leases that are held now, by whomever, of those that begin so. */
export async function heldLeases(connection: Connection, prefix: string): Promise<readonly string[]> {
  const rows = await connection.query(HELD, [prefix]);
  return rows.map(([name]) => name ?? '');
}

/** A {@link Lease} with the connections that it needs. */
export interface ProcessLease {
  /** Takes the lease, or takes it for longer. @returns false when another process holds it; @throws StoreUnavailableError */
  take(): Promise<boolean>;
  /**
   * Ends it before its time, so that another process may take it; does nothing when it is not held. @throws
   * StoreUnavailableError
   */
  giveBack(): Promise<void>;
}

/** Makes one process at a time the one that does a piece of work; one that dies is succeeded when its time is over. */
export class Lease {
  readonly #holder = randomUUID();

  /** @param duration milliseconds for which it is taken each time */
  constructor(
    readonly name: string,
    private readonly duration: number,
  ) {}

  /** Takes the lease, or takes it for longer. @returns false when another holds it */
  async take(connection: Connection): Promise<boolean> {
    const rows = await connection.query(TAKE, [this.name, this.#holder, this.duration / 1000]);
    return rows.length > 0;
  }

  async giveBack(connection: Connection): Promise<void> {
    if (!connection.broken) await connection.query(GIVE_BACK, [this.name, this.#holder]);
  }
}
