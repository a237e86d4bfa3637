import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import type { CompleteOptions } from '../face/options.js';
import { PARTITION_WIDTH } from '../reads/history.js';
import { type Lineage, SILENCE } from './lineage.js';
import { Rounds } from './rounds.js';

/** Milliseconds between beats. */
const INTERVAL = 1_000;
/** Rounds for which a process leaves the beat to the first one. */
const REST = 2;
/** Versions per second that no installation draws. */
const LEAST_PACE = 1_000_000n;

const BEAT = 'SELECT beat($1, $2)';

/** Versions drawn per second at most, or skipped when partitions are closed; twice that for rounds that come early. */
export function paceOf({ partitionInterval }: CompleteOptions): bigint {
  const leaps = (2n * PARTITION_WIDTH * 1_000n) / BigInt(Math.floor(partitionInterval));
  return leaps > LEAST_PACE ? leaps : LEAST_PACE;
}

/** Records in the database that it is in use: one process about once a second, and another when that one has ended. */
export class Heartbeat {
  readonly #rounds: Rounds;
  readonly #pace: bigint;
  #rest = 0;

  constructor(
    private readonly pool: Pool,
    private readonly lineage: Lineage,
    options: CompleteOptions,
  ) {
    this.#pace = paceOf(options);
    // A failed round is repeated by the next; the failure shows in other uses of the database anyway.
    this.#rounds = new Rounds(() => this.#round(), { interval: INTERVAL, random: options.random });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    if (this.#rest > 0) this.#rest--;
    else await this.pool.use((connection) => this.#beat(connection));
  }

  async #beat(connection: DatabaseConnection): Promise<void> {
    const [row] = await connection.statement('beat', BEAT, [this.#pace, SILENCE]);
    if (row?.[0] === 'fresh') this.#rest = REST;
    // The database was paused, or is another one behind the same connection: a pooler's.
    if (row?.[0] === 'silent') await this.lineage.inspect(connection);
  }
}
