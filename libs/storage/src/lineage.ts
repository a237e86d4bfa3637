import { int4Array, int8Array } from './arrays.js';
import type { Connection } from './connection.js';
import { ConnectionLostError } from './failures.js';
import { PARTITION_WIDTH } from './history.js';
import type { TypeId, Version } from './store.js';

/**
 * Notices a database that went back in time (a lagging standby promoted, a backup restored) and starts a new epoch in it, so
 * that versions are never reused for other content and nobody mixes two histories.
 *
 * What this process has seen is compared with the database on every new connection and at every reading of heads. A process
 * that has seen nothing yet goes by the identity that is recorded in the database: after a change of system or timeline that
 * no running process vouched for, it assumes the worst.
 */
export class Lineage {
  readonly #seen = new Map<TypeId, Version>();
  readonly #listeners = new Set<() => void>();
  #epoch: bigint | undefined;

  /** Remembers a version as announced: the database must never again be behind it. */
  observe(type: TypeId, version: Version): void {
    if (version > (this.#seen.get(type) ?? 0n)) this.#seen.set(type, version);
  }

  seen(type: TypeId): Version {
    return this.#seen.get(type) ?? 0n;
  }

  get epoch(): bigint | undefined {
    return this.#epoch;
  }

  onRewind(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at a database before it is used; when it went back in time, begins a new epoch and tells the listeners. */
  async inspect(connection: Connection): Promise<void> {
    const identity = await readIdentity(connection);
    for (let attempt = 0; attempt < 5; attempt++) {
      const state = await this.#compare(connection, identity);
      if (state.verdict === 'rewound') {
        const announced = [...this.#seen.values()].reduce((a, b) => (a > b ? a : b), 0n);
        await connection.query('SELECT begin_epoch($1, $2, $3)', [state.epoch, announced, PARTITION_WIDTH]);
      }
      if (state.verdict !== 'unbroken' || state.moved) await recordIdentity(connection, identity);
      if (state.verdict === 'unbroken') return this.#adopt(state.epoch);
    }
    throw new ConnectionLostError('the database keeps going back in time');
  }

  async #compare(connection: Connection, identity: Identity) {
    const fresh = this.#epoch === undefined;
    const [row] = await connection.query(
      `SELECT i.epoch, i.system_identifier, i.timeline,
              (SELECT count(*) FROM unnest($1::integer[], $2::bigint[]) s (id, version)
                WHERE NOT EXISTS (SELECT 1 FROM resource_type t WHERE t.id = s.id AND t.head >= s.version))
         FROM installation i`,
      [int4Array([...this.#seen.keys()]), int8Array([...this.#seen.values()])],
    );
    if (!row) throw new ConnectionLostError('the database holds no installation');
    const epoch = BigInt(row[0] ?? 0);
    const moved = differs(row[1], identity.system) || differs(row[2], identity.timeline);
    const known = row[1] !== null || row[2] !== null;
    // In an epoch that others began, what was seen before it says nothing.
    const behind = row[3] !== '0' && (fresh || epoch === this.#epoch);
    const rewound = behind || (fresh && known && moved);
    return { epoch, moved: moved || !known, verdict: rewound ? ('rewound' as const) : ('unbroken' as const) };
  }

  #adopt(epoch: bigint): void {
    const before = this.#epoch;
    this.#epoch = epoch;
    if (before === undefined || before === epoch) return;
    this.#seen.clear();
    for (const listener of this.#listeners) listener();
  }
}

interface Identity {
  readonly system: string | undefined;
  readonly timeline: string | undefined;
}

/** Who the server is, as far as it tells: managed services deny some of these functions. */
async function readIdentity(connection: Connection): Promise<Identity> {
  const ask = async (expression: string) => {
    try {
      const [row] = await connection.query(`SELECT (${expression})::text`);
      return row?.[0] ?? undefined;
    } catch (error) {
      if (connection.broken) throw error;
      return undefined;
    }
  };
  return {
    system: await ask('SELECT system_identifier FROM pg_control_system()'),
    timeline: await ask('left(pg_walfile_name(pg_current_wal_lsn()), 8)'),
  };
}

async function recordIdentity(connection: Connection, identity: Identity): Promise<void> {
  await connection.query('UPDATE installation SET system_identifier = $1, timeline = $2', [
    identity.system ?? null,
    identity.timeline ?? null,
  ]);
}

function differs(recorded: string | null | undefined, found: string | undefined): boolean {
  return recorded !== null && recorded !== undefined && found !== undefined && recorded !== found;
}
