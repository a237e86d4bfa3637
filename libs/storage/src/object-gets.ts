import { int4Array, textArray } from './arrays.js';
import { CopiedTuple } from './copied-tuple.js';
import { Gatherer, type Overtaking } from './gatherer.js';
import { isPossibleKey } from './key.js';
import { aroundBatches } from './observer.js';
import type { CompleteOptions } from './options.js';
import type { Pool } from './pool.js';
import { ROW_COLUMNS, readRow, readTuple } from './rows.js';
import { literal } from './snapshot-sql.js';
import type { Key, Row, TypeId } from './store.js';

/** Gets of a batch. */
const TOGETHER = 100;

/** Bytes of stored bodies that are read beside others; larger ones are read apart, so that nobody waits for them. */
const SMALL = 32 << 10;

/** Bytes of the large bodies that are read at a time, unless one alone is larger. */
const LARGE_TOGETHER = 1 << 20;

/** A batch of small bodies takes less than a millisecond: one that takes longer waits for something that others need not. */
const OVERTAKING: Overtaking = { after: 20, batches: 2 };

const BYTES = 'octet_length(o.body) + coalesce(octet_length(o.owners), 0)';

const FOUND = `
  CROSS JOIN LATERAL (
    SELECT * FROM object x
     WHERE x.type = k.type AND x.namespace = k.namespace COLLATE "C"
       AND x.name = k.name COLLATE "C" ORDER BY x.era DESC LIMIT 1) o`;

// The last era comes first: an old snapshot may keep any number of row versions of others.
export const GET = `
SELECT k.i, ${BYTES}, ${ROW_COLUMNS.replaceAll(/o\.(body|owners)/g, `CASE WHEN ${BYTES} <= ${SMALL} THEN $& END`)}
  FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY k (type, namespace, name, i)${FOUND}`;

const getLarge = (keys: readonly TypedKey[]) => `
COPY (
  SELECT k.i, ${ROW_COLUMNS}
    FROM (VALUES ${keys.map(({ type, namespace, name }, i) => `(${i}, ${type}, ${literal(namespace)}, ${literal(name)})`)}) k (i, type, namespace, name)${FOUND})
TO STDOUT (FORMAT binary)`;

interface TypedKey extends Key {
  readonly type: TypeId;
}

/** An object that is to be read apart. */
interface LargeObject extends TypedKey {
  /** Of its body, when it was looked at. */
  readonly bytes: number;
}

/**
 * Reads objects one by one. Reads that arrive together share a query that begins after all of them arrived; what is common to them
 * is bounded in bytes, and the failure of one is not that of another.
 */
export class ObjectGets {
  readonly #small: Gatherer<TypedKey, Row | LargeObject | undefined>;
  readonly #large: Gatherer<LargeObject, Row | undefined>;

  constructor(
    private readonly pool: Pool,
    private readonly options: CompleteOptions,
  ) {
    const { waiting, observer, acquireTimeout } = options;
    const common = { items: TOGETHER, waiting, patience: acquireTimeout / 2 };
    this.#small = new Gatherer((keys) => this.#readSmall(keys), {
      ...common,
      bytes: 1,
      sizeOf: () => 0,
      overtaking: OVERTAKING,
      around: aroundBatches(observer, 'get'),
    });
    this.#large = new Gatherer((keys) => this.#readLarge(keys), {
      ...common,
      bytes: LARGE_TOGETHER,
      sizeOf: ({ bytes }) => bytes,
      around: aroundBatches(observer, 'get'),
    });
  }

  /** The object as of a moment after the call; undefined where there is none, or cannot be. @throws StoreUnavailableError */
  async get(type: TypeId, { namespace, name }: Key): Promise<Row | undefined> {
    const key = { type, namespace, name };
    if (!isPossibleKey(key)) return undefined;
    const found = await this.#small.add(key);
    return found && 'bytes' in found ? this.#large.add(found) : found;
  }

  async #readSmall(keys: readonly TypedKey[]): Promise<(Row | LargeObject | Error | undefined)[]> {
    const rows = await this.pool.use((connection) =>
      connection.statement('get', GET, [
        int4Array(keys.map((key) => key.type)),
        textArray(keys.map((key) => key.namespace)),
        textArray(keys.map((key) => key.name)),
      ]),
    );
    const found = new Array<Row | LargeObject | Error | undefined>(keys.length).fill(undefined);
    for (const row of rows) {
      const at = Number(row[0]) - 1;
      const bytes = Number(row[1]);
      const key = keys[at];
      if (bytes > SMALL && key) found[at] = { ...key, bytes };
      else found[at] = readable(() => readRow(row, 2, this.options.bodies));
    }
    return found;
  }

  async #readLarge(keys: readonly LargeObject[]): Promise<(Row | Error | undefined)[]> {
    const { rows } = await this.pool.use((connection) =>
      connection.copyAll(getLarge(keys), (message, start) => {
        const tuple = new CopiedTuple(message, start);
        return [tuple.int4(), readable(() => readTuple(tuple, this.options.bodies))] as const;
      }),
    );
    const found = new Array<Row | Error | undefined>(keys.length).fill(undefined);
    for (const [at, row] of rows) if (at !== undefined) found[at] = row;
    return found;
  }
}

/** A row, or why this one cannot be read: that is nothing to those who are read with it. */
function readable(read: () => Row): Row | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
