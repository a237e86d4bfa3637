import type { Connection } from './connection.js';

/** What the database counts of the rows of objects, since its statistics began. */
const COUNTS = `
SELECT pg_stat_get_dead_tuples(o.id), pg_stat_get_live_tuples(o.id),
       pg_stat_get_tuples_updated(o.id) + pg_stat_get_tuples_deleted(o.id),
       pg_stat_get_vacuum_count(o.id) + pg_stat_get_autovacuum_count(o.id)
  FROM (SELECT 'object'::regclass AS id) o`;

/** Milliseconds after which counts are too old to be compared with, and within which autovacuum would have come. */
const RECENT = 120_000;

/** Dead rows for each live one that autovacuum leaves be, twice as many as it is told to. */
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
 * How many dead row versions of objects an old snapshot keeps. The database counts those that the next vacuum will remove as well, of
 * which there are many wherever much is written; so it is what a vacuum has left behind: what is dead after one, but for
 * what can have died since the look before it. Where none was seen for long, it is what is more than usual.
 */
export class KeptRows {
  #last: Counts | undefined;
  #vacuumed = Number.NEGATIVE_INFINITY;
  #kept = 0;

  /** @param now milliseconds, of a clock that does not go back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** At least so many, as far as is known; 0 where the database does not count, as a standby. */
  async count(connection: Pick<Connection, 'statement'>): Promise<number> {
    const [row] = await connection.statement('kept_rows', COUNTS, []);
    const [dead = 0, live = 0, ended = 0, vacuums = 0] = (row ?? []).map(Number);
    this.#compare({ at: this.now(), dead, live, ended, vacuums });
    return this.#kept;
  }

  #compare(found: Counts): void {
    const last = this.#last && found.at - this.#last.at <= RECENT ? this.#last : undefined;
    // Overtaken by another look, or the statistics began anew: then that will be too old to be compared with soon.
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
