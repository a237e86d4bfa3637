import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Floors } from './model/floors.js';
import { type Change, History } from './model/history.js';
import { KINDS, type Kind } from './model/object-state.js';
import { type ChangeRow, OPS, readChanges, readObjects } from './stored.js';
import type { LateCommit } from './validators/history.js';
import { JUDGED, type StoredChange, type StoredObject } from './validators/lifecycle.js';

const POLL_MS = 200;

interface OwnedChangeRow extends ChangeRow {
  readonly resource: string;
  readonly uid: string;
}

/** The contents of the database in the form that validators use. */
export interface Recorded {
  readonly histories: Readonly<Record<Kind, History>>;
  /** Over the time of the run. */
  readonly floors: Readonly<Record<Kind, Floors>>;
  readonly objects: Readonly<Record<Kind, readonly { version: number; print: string }[]>>;
  readonly lateCommits: readonly LateCommit[];
  /** Changes of all judged resources, ascending. */
  readonly changes: readonly StoredChange[];
}

/**
 * Follows the table of changes by plain SQL while the run lasts, and reads it once more at the end to see whether anything
 * became visible behind what had been read. Where history is dropped meanwhile, each change is copied in its own
 * transaction: on a busy machine a change may be gone before it is read.
 */
export class Recorder {
  readonly #changes: Readonly<Record<Kind, Map<number, Change>>> = { configmaps: new Map(), events: new Map() };
  readonly #read: Record<Kind, number> = { configmaps: 0, events: 0 };
  readonly #table: 'change' | 'recorded_change';
  readonly #floors: Readonly<Record<Kind, Floors>>;
  #client: pg.Client | undefined;

  constructor(
    private readonly url: string,
    /** Ms for which changes are kept; undefined: longer than any run, so that they can be read where servers keep them. */
    retention?: number,
  ) {
    this.#table = retention === undefined ? 'change' : 'recorded_change';
    this.#floors = { configmaps: new Floors(retention), events: new Floors(retention) };
  }

  /** Must be done before anything is written that has to be in the model. */
  async open(): Promise<void> {
    const client = await this.#connected();
    if (this.#table !== 'change') await client.query(COPY);
  }

  /** Reads again and again until the signal aborts; failures of the database are outwaited. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const client = await this.#connected();
        for (const kind of KINDS) await this.#follow(client, kind);
        await this.floors();
      } catch {
        this.#drop();
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The whole, once nothing is written any more. */
  async finish(): Promise<Recorded> {
    const client = await this.#connected();
    const lateCommits: LateCommit[] = [];
    for (const kind of KINDS) {
      for (const change of await readChanges(client, this.#table, core(kind), 0)) {
        const known = this.#changes[kind].has(change.version);
        if (!known && change.version <= this.#read[kind]) {
          lateCommits.push({ kind, version: change.version, read: this.#read[kind] });
        }
        this.#changes[kind].set(change.version, change);
      }
    }
    const floors = await this.floors();
    const objects = await both((kind) => readObjects(client, core(kind)));
    const histories = await both(async (kind) => new History(kind, [...this.#changes[kind].values()]));
    const changes = await readAllChanges(client, this.#table);
    return { histories, floors, objects, lateCommits, changes };
  }

  /** Notes how far history reaches back now, too: it goes on being dropped though nobody writes. */
  async floors(): Promise<Recorded['floors']> {
    const client = await this.#connected();
    for (const kind of KINDS) {
      const floor = await readFloor(client, kind);
      this.#floors[kind].note({ at: performance.now(), floor, head: this.#read[kind] });
    }
    return this.#floors;
  }

  async close(): Promise<void> {
    await this.#client?.end();
    this.#client = undefined;
  }

  async #follow(client: pg.Client, kind: Kind): Promise<void> {
    for (const change of await readChanges(client, this.#table, core(kind), this.#read[kind])) {
      this.#changes[kind].set(change.version, change);
      this.#read[kind] = change.version;
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({ connectionString: this.url, options: '-c search_path=cluster' });
    client.on('error', () => this.#drop());
    await client.connect();
    this.#client = client;
    return client;
  }

  #drop(): void {
    void this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }
}

const both = async <T>(read: (kind: Kind) => Promise<T>) => ({
  configmaps: await read('configmaps'),
  events: await read('events'),
});

const core = (resource: Kind) => ({ group: '', resource });

const TYPE = `(SELECT id FROM resource_type WHERE api_group = '' AND resource = $1)`;

/**
 * Whatever is there already is copied too; the lock keeps everybody from adding to it in between. What servers made when they
 * started (one config map) may have been dropped from history already: it stands at the beginning.
 */
const COPY = `
BEGIN;
LOCK TABLE change IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE recorded_change AS TABLE change;
INSERT INTO recorded_change (type, version, previous, at, action, namespace, name, uid, body, owners)
  SELECT o.type, o.version, 0, 0, 1, o.namespace, o.name, o.uid, o.body, o.owners
    FROM object o JOIN resource_type t ON t.id = o.type AND t.api_group = '' AND t.resource = 'configmaps'
   WHERE NOT EXISTS (SELECT FROM change c WHERE c.type = o.type AND c.version = o.version);
CREATE INDEX ON recorded_change (type, version);
CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO cluster.recorded_change SELECT NEW.*; RETURN NULL; END';
CREATE TRIGGER record_change AFTER INSERT ON change FOR EACH ROW EXECUTE FUNCTION cluster.record_change();
COMMIT`;

async function readAllChanges(client: pg.Client, table: string): Promise<StoredChange[]> {
  const { rows } = await client.query<OwnedChangeRow>(
    `SELECT t.resource, c.version, c.action, c.uid, c.body, c.owners, c.prior, c.prior_owners
       FROM ${table} c JOIN resource_type t ON t.id = c.type WHERE t.resource = ANY ($1) ORDER BY c.version`,
    [JUDGED],
  );
  const read = (body: Buffer, owners: Buffer | null): StoredObject => ({
    ...JSON.parse(body.toString()),
    owners: owners?.toString('base64'),
  });
  return rows.map(({ resource, version, action, uid, body, owners, prior, prior_owners }) => ({
    resource,
    version: Number(version),
    op: OPS[action] ?? 'update',
    uid,
    body: read(body, owners),
    prior: prior === null ? undefined : read(prior, prior_owners),
  }));
}

async function readFloor(client: pg.Client, kind: Kind): Promise<number> {
  const { rows } = await client.query<{ floor: string }>(`SELECT floor FROM history_floor WHERE type = ${TYPE}`, [
    kind,
  ]);
  return Number(rows[0]?.floor ?? 0);
}
