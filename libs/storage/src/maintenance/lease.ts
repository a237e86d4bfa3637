import { randomUUID } from 'node:crypto';
import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';

const TAKE = `
INSERT INTO maintenance_lease AS l (name, holder, until)
VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until
 WHERE l.until < clock_timestamp() OR l.holder = EXCLUDED.holder
RETURNING name`;

const GIVE_BACK = 'UPDATE maintenance_lease SET until = clock_timestamp() WHERE name = $1 AND holder = $2';

/** No lease is longer than a minute: one that seems so was taken before the clock of the database was set back. */
const HELD = `
SELECT name FROM maintenance_lease
 WHERE starts_with(name, $1) AND until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 minute'
 ORDER BY name`;

/** Names of leases with a prefix that any process holds now. */
export async function heldLeases(connection: DatabaseConnection, prefix: string): Promise<readonly string[]> {
  const rows = await connection.query(HELD, [prefix]);
  return rows.map(([name]) => name ?? '');
}

/** A {@link Lease} with its connections. */
export interface ProcessLease {
  /** Takes or renews the lease. @returns false when another process holds it; @throws StoreUnavailableError */
  take(): Promise<boolean>;
  /** Releases it early, so that another process may take it; a no-op when not held. @throws StoreUnavailableError */
  giveBack(): Promise<void>;
}

/** A lease for work that one process at a time does; a process that dies is succeeded when its lease expires. */
export class Lease {
  readonly #holder = randomUUID();
  /** End of the lease on the clock of `performance.now`; undefined until this process has tried to take it. */
  #until: number | undefined;

  /** @param duration milliseconds for which it is taken each time */
  constructor(
    readonly name: string,
    private readonly duration: number,
  ) {}

  /** Takes or renews the lease. @returns false when another process holds it */
  async take(connection: DatabaseConnection): Promise<boolean> {
    const asked = performance.now();
    const rows = await connection.query(TAKE, [this.name, this.#holder, this.duration / 1000]);
    const taken = rows.length > 0;
    this.#until = taken ? asked + this.duration : Number.NEGATIVE_INFINITY;
    return taken;
  }

  /** Whether this process holds it, by its own clock; undefined until it was first taken. */
  get held(): boolean | undefined {
    return this.#until === undefined ? undefined : performance.now() < this.#until;
  }

  async giveBack(connection: DatabaseConnection): Promise<void> {
    if (this.#until !== undefined) this.#until = Number.NEGATIVE_INFINITY;
    if (!connection.broken) await connection.query(GIVE_BACK, [this.name, this.#holder]);
  }
}

/** State of a lease that this process has tried to take. */
export interface LeaseState {
  /** Name of the lease, unique in the installation. */
  readonly name: string;
  /** Whether this process holds it, by its own clock. */
  readonly held: boolean;
}

/** The leases of one process. */
export class ProcessLeases {
  readonly #leases: Lease[] = [];

  constructor(private readonly pool: Pool) {}

  /** Creates a lease, not taken yet. @param duration milliseconds for which it is taken each time */
  lease(name: string, duration: number): ProcessLease {
    const lease = new Lease(name, duration);
    this.#leases.push(lease);
    return {
      take: () => this.pool.use((connection) => lease.take(connection)),
      giveBack: () => this.pool.use((connection) => lease.giveBack(connection)),
    };
  }

  /** States of the leases that were asked for, each name once. */
  states(): LeaseState[] {
    const held = new Map<string, boolean>();
    for (const lease of this.#leases)
      if (lease.held !== undefined) held.set(lease.name, lease.held || held.get(lease.name) === true);
    return [...held].map(([name, held]) => ({ name, held }));
  }
}
