import type { DatabaseConnection } from '../connections/connection.js';

/** SQL for the database's counters of the rows of objects, since its statistics were reset. */
const COUNTS = `
SELECT pg_stat_get_dead_tuples(o.id), pg_stat_get_live_tuples(o.id),
       pg_stat_get_tuples_updated(o.id) + pg_stat_get_tuples_deleted(o.id),
       pg_stat_get_vacuum_count(o.id) + pg_stat_get_autovacuum_count(o.id)
  FROM (SELECT 'object'::regclass AS id) o`;

/** Milliseconds after which counts are too old to be compared, and within which autovacuum would have run. */
const RECENT = 120_000;

/** Dead rows per live row that autovacuum tolerates; twice as many as it is configured to. */
const USUAL = 0.1;

interface Counts {
  readonly at: number;
  readonly dead: number;
  readonly live: number;
  /** Row versions that were replaced or deleted, ever. */
  readonly ended: number;
  readonly vacuums: number;
}

/**
 * Estimates how many dead row versions of objects an old snapshot retains. The database also counts rows that the next
 * vacuum will remove, of which there are many under a write load; so the estimate is what a vacuum has left behind:
 * rows dead after one, minus those that can have died since the previous reading. Without a recent vacuum it is the
 * excess over the usual amount.
 */
export class KeptRows {
  #last: Counts | undefined;
  #vacuumed = Number.NEGATIVE_INFINITY;
  #kept = 0;

  /** @param now milliseconds, of a clock that does not go back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Estimated number, as far as is known; 0 when the database does not count, as a standby. */
  async count(connection: Pick<DatabaseConnection, 'statement'>): Promise<number> {
    const [row] = await connection.statement('kept_rows', COUNTS, []);
    const [dead = 0, live = 0, ended = 0, vacuums = 0] = (row ?? []).map(Number);
    this.#compare({ at: this.now(), dead, live, ended, vacuums });
    return this.#kept;
  }

  #compare(found: Counts): void {
    const last = this.#last && found.at - this.#last.at <= RECENT ? this.#last : undefined;
    // Overtaken by another reading, or the statistics were reset: in that case the last reading will soon be too old to
    // compare.
    if (last && (found.ended < last.ended || found.vacuums < last.vacuums)) return;
    this.#last = found;
    const { at, dead, live } = found;
    if (last && found.vacuums > last.vacuums) {
      this.#vacuumed = at;
      this.#kept = dead - (found.ended - last.ended);
    } else if (at - this.#vacuumed > RECENT) this.#kept = dead - USUAL * live;
    this.#kept = Math.max(0, Math.min(dead, this.#kept));
  }
}
