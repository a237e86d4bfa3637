import type { DatabaseConnection } from '../connections/connection.js';
import { ConnectionLostError } from '../connections/failures.js';
import type { TypeId, Version } from '../face/key.js';
import type { Head } from '../face/store.js';
import { PARTITION_WIDTH } from '../reads/history.js';
import { int4Array, int8Array } from '../writes/arrays.js';

/** Seconds without a heartbeat after which the database may be a copy of what it was. */
export const SILENCE = 5;

/**
 * Detects a database that went back in time (a lagging standby promoted, a backup restored) and starts a new epoch in
 * it, so that versions are never reused for other content and two histories are never mixed.
 *
 * The versions that this process has read, written or seen announced are compared with the database on every new
 * connection and at every reading of heads. When all of them are there, but the system identifier or the timeline is
 * another one, or the database was not used for a while, other servers may have seen more: the database goes on in a
 * branch, whose versions are above all that can have been announced, and a server that has seen a lost version begins
 * an epoch when it connects.
 */
export class Lineage {
  readonly #seen = new Map<TypeId, Version>();
  readonly #heard = new Map<TypeId, Version>();
  readonly #listeners = new Set<() => void>();
  readonly #turnListeners = new Set<() => void>();
  #epoch: bigint | undefined;
  #resumed: string | undefined;
  #branches: Branches = new Map();

  /**
   * @param pace versions per second that are drawn or skipped at most
   * @param rejoin runs first in a database whose history is another one; throws to refuse it
   * @param mayWrite whether this process may begin epochs and branches; if not, it waits for one that may
   */
  constructor(
    private readonly pace: bigint,
    private readonly rejoin: (connection: DatabaseConnection) => Promise<void> = async () => {},
    private readonly mayWrite = true,
  ) {}

  /** Remembers a version as read or written here: the database must never again be behind it. */
  observe(type: TypeId, version: Version): void {
    if (version > this.seen(type)) this.#seen.set(type, version);
  }

  /** Same for a version that others have announced. */
  hear(type: TypeId, version: Version): void {
    if (version > (this.#heard.get(type) ?? 0n)) this.#heard.set(type, version);
  }

  /** The highest version that was read or written here. */
  seen(type: TypeId): Version {
    return this.#seen.get(type) ?? 0n;
  }

  /** The highest versions known to be announced: one that was read or written here, and one announced by others. */
  announced(type: TypeId): readonly Version[] {
    return [this.seen(type), this.#heard.get(type) ?? 0n];
  }

  get epoch(): bigint | undefined {
    return this.#epoch;
  }

  /** Whether the history is the one seen at the last check of the database; true before the first. */
  isKnown({ epoch, resumed }: HistoryState): boolean {
    return this.#epoch === undefined || (epoch === String(this.#epoch) && resumed === this.#resumed);
  }

  onRewind(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Registers a listener for a history that was rewound or went on in a branch: announcements before that are void. */
  onTurn(listener: () => void): () => void {
    this.#turnListeners.add(listener);
    return () => this.#turnListeners.delete(listener);
  }

  /** Whether a version may have been announced by a server whose database was lost, and is not in its history. */
  isLost(type: TypeId, version: Version): boolean {
    return (this.#branches.get(type) ?? []).some(({ ended, began }) => version > ended && version < began);
  }

  /** Whether an announced version is missing from the history of a type, and not below its floor. */
  isMissing(type: TypeId, version: Version, { head, floor }: Head): boolean {
    return head < version || (floor < version && this.isLost(type, version));
  }

  /** Checks a database before it is used; when it went back in time, begins a new epoch and notifies the listeners. */
  async inspect(connection: DatabaseConnection): Promise<void> {
    const identity = await readIdentity(connection);
    for (let attempt = 0; attempt < 5; attempt++) {
      const { epoch, resumed, verdict, branches } = await this.#compare(connection, identity);
      if (verdict === 'rewound') {
        await this.#beginEpoch(connection, identity, epoch);
      } else if (verdict === 'apart') {
        await this.#resume(connection, identity);
      } else {
        if (verdict === 'unrecorded' && this.mayWrite) await recordIdentity(connection, identity);
        if (!this.isKnown({ epoch: String(epoch), resumed })) await this.rejoin(connection);
        this.#branches = join(this.#branches, branches);
        return this.#adopt(epoch, resumed);
      }
    }
    throw new ConnectionLostError('the database keeps going back in time');
  }

  /**
   * Begins an epoch. A process that may only read notifies its own listeners and forgets the versions it knew: other
   * servers can have them only if they saw them too, and one of those that may write will begin the epoch.
   */
  async #beginEpoch(connection: DatabaseConnection, identity: Identity, epoch: bigint): Promise<void> {
    if (!this.mayWrite) return this.#turn(true);
    const announced = this.#everything().reduce((a, [, b]) => (a > b ? a : b), 0n);
    await connection.query('SELECT begin_epoch($1, $2, $3)', [epoch, announced, PARTITION_WIDTH]);
    await recordIdentity(connection, identity);
  }

  async #resume(connection: DatabaseConnection, { system, timeline }: Identity): Promise<void> {
    if (!this.mayWrite)
      throw new ConnectionLostError('the history of the database waits for an api-server to go on with it');
    await connection.query(RESUME, [system ?? null, timeline ?? null, PARTITION_WIDTH, this.pace, SILENCE]);
  }

  async #compare(connection: DatabaseConnection, identity: Identity): Promise<Comparison> {
    // Read together: during the query another inspection may adopt an epoch, and forget versions before it.
    const known = this.#epoch;
    const announced = this.#everything();
    const [row] = await connection.query(COMPARE, [
      int4Array(announced.map(([type]) => type)),
      int8Array(announced.map(([, version]) => version)),
    ]);
    if (!row) throw new ConnectionLostError('the database holds no installation');
    const epoch = BigInt(row[0] ?? 0);
    // In an epoch that others began, versions announced before it prove nothing.
    const behind = row[3] !== '0' && (known === undefined || epoch === known);
    const apart = differs(row[1], identity.system) || differs(row[2], identity.timeline) || Number(row[5]) > SILENCE;
    const recorded = row[1] !== null || row[2] !== null;
    const unbroken = recorded ? 'unbroken' : 'unrecorded';
    const verdict = behind ? 'rewound' : apart ? 'apart' : unbroken;
    return { epoch, resumed: row[6] ?? '', branches: readBranches(row[4] ?? ''), verdict };
  }

  #everything(): (readonly [TypeId, Version])[] {
    return [...this.#seen, ...this.#heard];
  }

  #adopt(epoch: bigint, resumed: string): void {
    const before = { epoch: this.#epoch, resumed: this.#resumed };
    this.#epoch = epoch;
    this.#resumed = resumed;
    if (before.epoch === undefined) return;
    const rewound = before.epoch !== epoch;
    if (rewound || before.resumed !== resumed) this.#turn(rewound);
  }

  #turn(rewound: boolean): void {
    if (rewound) {
      this.#seen.clear();
      this.#heard.clear();
      for (const listener of this.#listeners) listener();
    }
    for (const listener of this.#turnListeners) listener();
  }
}

/** SQL of `isMissing` for all types, including branches that this process does not know yet. */
const COMPARE = `
SELECT i.epoch, i.system_identifier, i.timeline,
       (SELECT count(*) FROM unnest($1::integer[], $2::bigint[]) s (id, version)
         WHERE NOT EXISTS (SELECT 1 FROM resource_type t WHERE t.id = s.id AND t.head >= s.version)
            OR EXISTS (SELECT 1 FROM branch b, history_floor f
                        WHERE b.type = s.id AND s.version > b.ended AND s.version < b.began
                          AND f.type = s.id AND f.floor < s.version)),
       (SELECT string_agg(concat_ws(' ', b.type, b.ended, b.began), ',') FROM branch b),
       (SELECT abs(extract(epoch FROM clock_timestamp() - h.at)) FROM heartbeat h), i.resumed
  FROM installation i`;

const RESUME = 'SELECT resume_history($1, $2, $3, $4, $5)';

/** Versions above `ended` and below `began` are in no history of the type. */
interface Branch {
  readonly ended: Version;
  readonly began: Version;
}

/** How often history was rewound, and how often it went on in a branch, as text from the database. */
interface HistoryState {
  readonly epoch: string | null | undefined;
  readonly resumed: string | null | undefined;
}

type Branches = ReadonlyMap<TypeId, readonly Branch[]>;

interface Comparison {
  readonly epoch: bigint;
  readonly resumed: string;
  readonly verdict: 'rewound' | 'apart' | 'unrecorded' | 'unbroken';
  readonly branches: Branches;
}

/**
 * All branches of both. The database forgets branches that its history does not reach back to any more; the cache of
 * this process may reach further.
 */
function join(one: Branches, other: Branches): Branches {
  const joined = new Map(one);
  for (const [type, branches] of other) {
    const known = joined.get(type) ?? [];
    const isNew = ({ began, ended }: Branch) => !known.some((each) => each.began === began && each.ended === ended);
    joined.set(type, [...known, ...branches.filter(isNew)]);
  }
  return joined;
}

function readBranches(list: string): Branches {
  const branches = new Map<TypeId, Branch[]>();
  for (const each of list === '' ? [] : list.split(',')) {
    const [type, ended = '0', began = '0'] = each.split(' ');
    const branch = { ended: BigInt(ended), began: BigInt(began) };
    branches.set(Number(type), [...(branches.get(Number(type)) ?? []), branch]);
  }
  return branches;
}

interface Identity {
  readonly system: string | undefined;
  readonly timeline: string | undefined;
}

/** Reads which server and timeline this is, as far as it says: managed services deny some of these functions. */
async function readIdentity(connection: DatabaseConnection): Promise<Identity> {
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

async function recordIdentity(connection: DatabaseConnection, identity: Identity): Promise<void> {
  await connection.query('UPDATE installation SET system_identifier = $1, timeline = $2', [
    identity.system ?? null,
    identity.timeline ?? null,
  ]);
}

function differs(recorded: string | null | undefined, found: string | undefined): boolean {
  return recorded !== null && recorded !== undefined && found !== undefined && recorded !== found;
}
