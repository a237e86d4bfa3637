import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import type { BodyCodec } from '../face/body-codec.js';
import type { Key, TypeId, Version } from '../face/key.js';
import type { Row } from '../face/store.js';
import { ROW_COLUMNS, readRow, text } from '../reads/rows.js';
import type { TextRow } from '../reads/text-row.js';

/** Rows that are recorded at a time. */
const PAGE = 5_000;

const PROGRESS = `
SELECT t.head, p.noted, p.spent FROM resource_type t LEFT JOIN expiry_progress p ON p.type = t.id WHERE t.id = $1`;

// A single statement, so that the floor that it reads is true of the history that it reads.
const NOTE_CHANGES = `
WITH seen AS MATERIALIZED (
  SELECT version, action, namespace, name FROM change WHERE type = $1 AND version > $2 ORDER BY version LIMIT $3),
noted AS (
  INSERT INTO expiring SELECT $1, version, namespace, name FROM seen WHERE action <> 5 ON CONFLICT DO NOTHING)
SELECT (SELECT floor FROM history_floor WHERE type = $1), max(version), count(*) FROM seen`;

const NOTE_OBJECTS = `
WITH seen AS MATERIALIZED (
  SELECT version, namespace, name FROM object
   WHERE type = $1 AND (namespace, name) > ($2 COLLATE "C", $3 COLLATE "C") ORDER BY namespace, name LIMIT $4),
noted AS (
  INSERT INTO expiring SELECT $1, version, namespace, name FROM seen ON CONFLICT DO NOTHING)
SELECT namespace, name FROM seen ORDER BY namespace DESC, name DESC LIMIT 1`;

const NOTED = `
INSERT INTO expiry_progress AS p (type, noted) VALUES ($1, $2) ON CONFLICT (type) DO UPDATE SET noted = EXCLUDED.noted`;

const SPENT = 'UPDATE expiry_progress SET spent = $2 WHERE type = $1 AND spent <> $2';

/**
 * SQL for expired entries, the oldest first, up to a number of entries and up to the entry that reaches a number of
 * bytes; entries that have been superseded come without an object. Each row says how many there were before the cut by
 * bytes.
 */
export const DUE = `
SELECT e.version, e.found, ${ROW_COLUMNS}
  FROM (SELECT q.*, count(*) OVER () AS found,
               sum(octet_length(x.body)) OVER (ORDER BY q.version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
          FROM (SELECT * FROM expiring WHERE type = $1 AND version > $2 AND version <= $3 ORDER BY version LIMIT $4) q
          LEFT JOIN object x
            ON x.type = q.type AND x.namespace = q.namespace AND x.name = q.name AND x.version = q.version) e
  LEFT JOIN object o ON o.type = e.type AND o.namespace = e.namespace AND o.name = e.name AND o.version = e.version
 WHERE coalesce(e.bytes, 0) < $5
 ORDER BY e.version`;

const DROP = 'DELETE FROM expiring WHERE type = $1 AND version > $2 AND version <= $3';

/** Some of the expired entries. */
interface Due {
  /** Whether there may be more behind these. */
  readonly more: boolean;
  /** The version of the last one. */
  readonly last: Version;
  /** Objects that are still at the version that expired. */
  readonly rows: readonly Row[];
}

/** The objects of a type in the order in which they were last written. One process at a time uses it. */
export class ExpiryQueue {
  #spent: Version = 0n;

  constructor(
    private readonly type: TypeId,
    private readonly pool: Pool,
    private readonly bodies: BodyCodec,
  ) {}

  /** Records writes since the last call; everything that exists when history does not reach back to then. */
  async fill(): Promise<void> {
    const [row] = await this.pool.use((connection) => connection.query(PROGRESS, [this.type]));
    if (!row) return;
    this.#spent = BigInt(row[2] ?? 0);
    if (row[1] && (await this.#noteChanges(BigInt(row[1])))) return;
    await this.#noteObjects();
    // Later writes may have been recorded already, which does no harm.
    await this.#use(NOTED, [this.type, text(row, 0)]);
  }

  /**
   * The oldest entries that are behind the processed ones and not above a version.
   * @param limit of entries
   * @param bytes of bodies, of which the last one may be larger
   */
  async due(upTo: Version, limit: number, bytes: number): Promise<Due> {
    const rows = await this.#use(DUE, [this.type, this.#spent, upTo, limit, bytes]);
    const last = rows.at(-1);
    const found = Number(last?.[1] ?? 0);
    return {
      more: found === limit || rows.length < found,
      last: last ? BigInt(text(last, 0)) : this.#spent,
      rows: rows.filter((row) => row[2] !== null).map((row) => readRow(row, 2, this.bodies)),
    };
  }

  /** Everything up to here has been processed. */
  async drop(upTo: Version): Promise<void> {
    await this.#use(DROP, [this.type, this.#spent, upTo]);
    this.#spent = upTo;
  }

  /** Stores the position for the next time: dropped entries may still be there, dead, while old snapshots are open. */
  async rest(): Promise<void> {
    await this.#use(SPENT, [this.type, this.#spent]);
  }

  /** @returns false when history does not reach back to where it begins */
  async #noteChanges(from: Version): Promise<boolean> {
    for (let after = from; ; ) {
      const [row] = await this.#use(NOTE_CHANGES, [this.type, after, PAGE]);
      if (!row || after < BigInt(text(row, 0))) return false;
      if (!row[1]) return true;
      after = BigInt(row[1]);
      await this.#use(NOTED, [this.type, after]);
      if (Number(row[2]) < PAGE) return true;
    }
  }

  async #noteObjects(): Promise<void> {
    for (let after: Key | undefined = { namespace: '', name: '' }; after; ) {
      const { namespace, name }: Key = after;
      const [row] = await this.#use(NOTE_OBJECTS, [this.type, namespace, name, PAGE]);
      after = row && { namespace: text(row, 0), name: text(row, 1) };
    }
  }

  #use(statement: string, parameters: Parameters<DatabaseConnection['query']>[1]): Promise<TextRow[]> {
    return this.pool.use((connection) => connection.query(statement, parameters));
  }
}
