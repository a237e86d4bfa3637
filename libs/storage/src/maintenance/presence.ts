import { randomUUID } from 'node:crypto';
import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import type { Version } from '../face/key.js';
import { textArray } from '../writes/arrays.js';

/** Seconds for which rows of servers that ended without withdrawing are kept, for people who look. */
const KEPT = 3_600;

const TELL = `
INSERT INTO server AS s (id, until, served, drained, held)
VALUES ($1, clock_timestamp() + make_interval(secs => $2), $3, $4, $5)
ON CONFLICT (id) DO UPDATE
   SET until = EXCLUDED.until, served = EXCLUDED.served, drained = EXCLUDED.drained, held = EXCLUDED.held
RETURNING xmax = 0`;

const WITHDRAW = 'DELETE FROM server WHERE id = $1';

const TIDY = 'DELETE FROM server WHERE until < clock_timestamp() - make_interval(secs => $1)';

// A server that lists held definitions has drained everything else that it serves.
const LEAST = `
SELECT min(served), min(CASE WHEN held IS NULL THEN drained ELSE served END), string_agg(nullif(array_to_string(held, ' '), ''), ' ')
  FROM server WHERE until >= clock_timestamp()`;

/** Progress of a server with the definitions of custom kinds, as versions of their type. */
export interface Progress {
  /** The server serves the definitions as of this version. */
  readonly served: Version;
  /** It is creating no objects of kinds that are deleted as of this version: for servers of the previous release. */
  readonly drained: Version;
  /** Uids of definitions that are being deleted, as far as it knows, and whose objects it is still creating. */
  readonly held: readonly string[];
}

/** Progress that all live servers have reached. */
export interface LeastProgress {
  /** All serve the definitions as of this version. */
  readonly served: Version;
  /** None is creating objects of kinds that are deleted as of this version, except for held ones. */
  readonly drained: Version;
  /** Uids of definitions whose objects some server is still creating. */
  readonly held: ReadonlySet<string>;
}

/** Publishes a server's progress to the others. */
export interface Presence {
  /** Registers as alive for the agreed duration, and publishes the progress. @throws StoreUnavailableError */
  tell(progress: Progress): Promise<void>;
  /** Removes the server from the table, so that others do not wait for it. @throws StoreUnavailableError */
  withdraw(): Promise<void>;
}

/** A {@link Presence} in a database. */
export class DatabasePresence implements Presence {
  readonly #id = randomUUID();

  /** @param duration milliseconds for which an update is valid */
  constructor(
    private readonly pool: Pool,
    private readonly duration: number,
  ) {}

  tell({ served, drained, held }: Progress): Promise<void> {
    return this.pool.use(async (connection) => {
      const told = [this.#id, this.duration / 1000, String(served), String(drained), textArray(held)];
      const [row] = await connection.query(TELL, told);
      // Once for each server that starts: so there are never many.
      if (row?.[0] === 't') await connection.query(TIDY, [KEPT]);
    });
  }

  withdraw(): Promise<void> {
    return this.pool.use(async (connection) => {
      await connection.query(WITHDRAW, [this.#id]);
    });
  }
}

/** Undefined when no server is alive. */
export async function leastProgress(connection: DatabaseConnection): Promise<LeastProgress | undefined> {
  const [row] = await connection.query(LEAST, []);
  const [served, drained, held] = row ?? [];
  if (!served || !drained) return undefined;
  return { served: BigInt(served), drained: BigInt(drained), held: new Set(held ? held.split(' ') : []) };
}
