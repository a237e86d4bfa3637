import type { Pool } from '../connections/pool.js';
import type { Key, TypeId } from '../face/key.js';
import { isPossibleKey } from '../face/key.js';
import { aroundBatches } from '../face/observer.js';
import type { CompleteOptions } from '../face/options.js';
import type { Row } from '../face/store.js';
import { int4Array, textArray } from '../writes/arrays.js';
import { Gatherer, type Overtaking } from '../writes/gatherer.js';
import { CopiedTuple } from './copied-tuple.js';
import { ROW_COLUMNS, readRow, readTuple } from './rows.js';
import { literal } from './snapshot-sql.js';

/** Gets of a batch. */
const TOGETHER = 100;

/** Bytes of stored bodies that are read in shared queries; larger ones are read alone, so as not to delay others. */
const SMALL = 32 << 10;

/** Bytes of bodies that are read on their own, but alternate with larger ones: a crowd of these is not waited for. */
const MIDDLING = 128 << 10;

/** Bytes of the bodies that are read on their own at a time, unless one alone is larger. */
const APART_TOGETHER = 1 << 20;

/**
 * A batch of small bodies takes less than a millisecond: one that takes longer waits for something, and need not delay
 * others.
 */
const OVERTAKING: Overtaking = { after: 20, batches: 2 };

// The last era comes first: an old snapshot may keep any number of row versions of others.
const FOUND = `
  CROSS JOIN LATERAL (
    SELECT *, octet_length(x.body) + coalesce(octet_length(x.owners), 0) AS bytes FROM object x
     WHERE x.type = k.type AND x.namespace = k.namespace COLLATE "C"
       AND x.name = k.name COLLATE "C" ORDER BY x.era DESC LIMIT 1) o`;

export const GET = `
SELECT k.i, o.bytes, ${ROW_COLUMNS.replaceAll(/o\.(body|owners)/g, `CASE WHEN o.bytes <= ${SMALL} THEN $& END`)}
  FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY k (type, namespace, name, i)${FOUND}`;

const getLarge = (keys: readonly TypedKey[]) => `
COPY (
  SELECT k.i, ${ROW_COLUMNS}
    FROM (VALUES ${keys.map(({ type, namespace, name }, i) => `(${i}, ${type}, ${literal(namespace)}, ${literal(name)})`)}) k (i, type, namespace, name)${FOUND})
TO STDOUT (FORMAT binary)`;

interface TypedKey extends Key {
  readonly type: TypeId;
}

/** An object that is to be read on its own. */
interface LargeObject extends TypedKey {
  /** Length of its body, when it was looked up. */
  readonly bytes: number;
}

/**
 * Reads objects one by one. Reads that arrive together share a query that begins after all of them arrived; its answer
 * is bounded in bytes, and the failure of one read does not fail the others.
 */
export class ObjectGets {
  readonly #small: Gatherer<TypedKey, Row | LargeObject | undefined>;
  readonly #middling: Gatherer<LargeObject, Row | undefined>;
  readonly #large: Gatherer<LargeObject, Row | undefined>;
  /** Resolves when all separate reads that were begun so far have ended. */
  #apart: Promise<unknown> = Promise.resolve();

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
    const apart = {
      ...common,
      bytes: APART_TOGETHER,
      sizeOf: ({ bytes }: LargeObject) => bytes,
      around: aroundBatches(observer, 'get'),
    };
    this.#middling = new Gatherer((keys) => this.#inTurn(() => this.#readLarge(keys)), apart);
    this.#large = new Gatherer((keys) => this.#inTurn(() => this.#readLarge(keys)), apart);
  }

  /** The object as of a moment after the call; undefined where there is none, or cannot be. @throws StoreUnavailableError */
  async get(type: TypeId, { namespace, name }: Key): Promise<Row | undefined> {
    const key = { type, namespace, name };
    if (!isPossibleKey(key)) return undefined;
    const found = await this.#small.add(key);
    if (!found || !('bytes' in found)) return found;
    return found.bytes > MIDDLING ? this.#large.add(found) : this.#middling.add(found);
  }

  /** Separate reads share one connection: middling and large ones alternate on it. */
  #inTurn<T>(read: () => Promise<T>): Promise<T> {
    const turn = this.#apart.then(read);
    this.#apart = turn.catch(() => undefined);
    return turn;
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

/** Reads a row; returns the error of an unreadable one, so that it does not fail those read with it. */
function readable(read: () => Row): Row | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
