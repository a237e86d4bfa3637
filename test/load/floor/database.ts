import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import pg from 'pg';
import type { FloorWrite } from './batches.js';

/** The table of objects and the history, as the server has them in essence. */
const SCHEMA = `
CREATE SEQUENCE IF NOT EXISTS version;
CREATE TABLE IF NOT EXISTS object (
  key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body bytea NOT NULL
) WITH (toast_tuple_target = 8160, fillfactor = 85);
CREATE TABLE IF NOT EXISTS change (
  version bigint PRIMARY KEY, at bigint NOT NULL, action smallint NOT NULL, key text COLLATE "C" NOT NULL,
  body bytea NOT NULL, prior bytea
) WITH (toast_tuple_target = 8160, autovacuum_enabled = false);
ALTER TABLE object ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE change ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN prior SET STORAGE EXTERNAL`;

/**
 * Writes a batch in one statement. Parameters: keys, actions, and the bodies one after the other with their starts and lengths. An
 * object is found once and reached by its place from then on: a join would scan all objects where the planner takes them for few.
 */
const COMMIT = {
  name: 'commit',
  text: `
WITH wanted AS MATERIALIZED (
  SELECT u.item, u.key, u.action, nextval('version') AS version, substring($3::bytea FROM u.start FOR u.length) AS body,
         o.place, o.body AS prior
    FROM unnest($1::text[], $2::smallint[], $4::integer[], $5::integer[])
         WITH ORDINALITY u (key, action, start, length, item)
    LEFT JOIN LATERAL (SELECT x.ctid AS place, x.body FROM object x WHERE u.action > 1 AND x.key = u.key OFFSET 0) o ON true),
created AS (INSERT INTO object (key, version, body) SELECT key, version, body FROM wanted WHERE action = 1),
updated AS (UPDATE object o SET version = w.version, body = w.body FROM wanted w WHERE w.action = 3 AND o.ctid = w.place),
deleted AS (DELETE FROM object o USING wanted w WHERE w.action = 5 AND o.ctid = w.place)
INSERT INTO change (version, at, action, key, body, prior)
  SELECT version, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, action, key, body, prior FROM wanted ORDER BY item
  RETURNING version`,
} as const;

/** Each lookup is by key, whatever the planner thinks of tables without statistics. */
const PLANNING = ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off', 'enable_bitmapscan=off']
  .concat('enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off')
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** An embedded PostgreSQL with the settings of the server's own. */
export class FloorDatabase {
  private constructor(
    private readonly postgres: EmbeddedPostgres,
    private readonly client: pg.Client,
  ) {}

  /** Starts it on a folder, which may hold data from before. */
  static async start(dataDir: string): Promise<FloorDatabase> {
    const postgres = await startEmbeddedPostgres({ dataDir });
    const client = new pg.Client({ connectionString: postgres.url, options: PLANNING });
    await client.connect();
    await client.query(SCHEMA);
    return new FloorDatabase(postgres, client);
  }

  /** Commits writes of distinct keys. @returns their versions, in order */
  async commit(writes: readonly FloorWrite[]): Promise<readonly string[]> {
    const lengths = writes.map(({ body }) => body.length);
    const starts: number[] = [];
    let next = 1;
    for (const length of lengths) {
      starts.push(next);
      next += length;
    }
    const bodies = Buffer.concat(writes.map(({ body }) => body));
    const [keys, actions] = [writes.map(({ key }) => key), writes.map(({ action }) => action)];
    const { rows } = await this.client.query({
      ...COMMIT,
      values: [keys, actions, bodies, starts, lengths],
      rowMode: 'array',
    });
    return (rows as [string][]).map(([version]) => version);
  }

  /** Returns how many objects there are, and how many changes. */
  async counts(): Promise<{ readonly objects: number; readonly changes: number }> {
    const { rows } = await this.client.query('SELECT (SELECT count(*) FROM object) o, (SELECT count(*) FROM change) c');
    return { objects: Number(rows[0].o), changes: Number(rows[0].c) };
  }

  /** Shuts it down. */
  async stop(): Promise<void> {
    await this.client.end();
    await this.postgres.stop();
  }
}
