import type { DatabaseConnection } from '../connections/connection.js';
import type { Pool } from '../connections/pool.js';
import type { TypeId, Version } from '../face/key.js';
import { isPossibleKey, isPossibleText } from '../face/key.js';
import { aroundBatches, type StoreObserver } from '../face/observer.js';
import type { CompleteOptions } from '../face/options.js';
import type { Head, Measure } from '../face/store.js';
import type { Lineage } from '../maintenance/lineage.js';
import { int4Array } from '../writes/arrays.js';
import { Gatherer } from '../writes/gatherer.js';
import { text } from './rows.js';
import type { TextRow } from './text-row.js';
import { walk } from './walk-sql.js';

const HEADS = `
SELECT t.id, t.head, f.floor, i.epoch, i.resumed
  FROM installation i, resource_type t JOIN history_floor f ON f.type = t.id
 WHERE t.id = ANY ($1)`;

const LAST_VERSION = 'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM resource_version';

// The length of a body stored out of line is known without reading it.
const BYTES = 'octet_length(o.body) + coalesce(octet_length(o.owners), 0) AS bytes';

const MEASURE = `
SELECT count(*), coalesce(sum(m.bytes), 0) FROM (SELECT ${BYTES} FROM object o WHERE o.type = $1 LIMIT $2) m`;

/** Objects of a type up to which they are looked up one by one. */
export const FEW = 2000;

export const MEASURE_FEW = `
${walk('o.type = $1', { columns: BYTES, limit: '$2' })}
SELECT count(*), coalesce(sum(bytes), 0) FROM walked`;

const NAMESPACE = `
SELECT o.terminating::text FROM object o
 WHERE o.type = $1 AND o.namespace = '' AND o.name = $2 COLLATE "C" ORDER BY o.era DESC LIMIT 1`;

// Skips from one non-empty type to the next: there may be thousands of empty ones.
const TYPES_IN = `
WITH RECURSIVE held (type) AS (
  SELECT min(o.type) FROM object o
  UNION ALL
  SELECT (SELECT min(o.type) FROM object o WHERE o.type > h.type) FROM held h WHERE h.type IS NOT NULL)
SELECT h.type FROM held h
 WHERE h.type IS NOT NULL AND EXISTS (
   SELECT FROM object o WHERE o.type = h.type AND o.namespace = $1 COLLATE "C")`;

/** Whether objects can be created in a namespace, or why not. */
export type NamespaceState = 'open' | 'namespace-not-found' | 'namespace-terminating';

/** The short reads; calls that arrive together share a query that begins after all of them arrived. */
export class BatchingReader {
  readonly #heads: Gatherer<readonly TypeId[], ReadonlyMap<TypeId, Head>>;
  readonly #lastVersions: Gatherer<undefined, Version>;

  private readonly observer: StoreObserver;

  constructor(
    private readonly pool: Pool,
    private readonly measuring: Pool,
    private readonly lineage: Lineage,
    options: CompleteOptions,
  ) {
    const { waiting, observer } = options;
    this.observer = observer;
    this.#heads = new Gatherer((asked) => this.#readHeads(asked), {
      items: waiting,
      bytes: 1,
      sizeOf: () => 0,
      waiting,
      around: aroundBatches(observer, 'heads'),
    });
    this.#lastVersions = new Gatherer((asked) => this.#readLastVersion(asked), {
      items: waiting,
      bytes: 1,
      sizeOf: () => 0,
      waiting,
    });
  }

  heads(types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    return this.#heads.add(types);
  }

  /** A large type must not delay other reads: many objects are measured on another connection, one type at a time. */
  async measure(type: TypeId, objects: number): Promise<Measure> {
    const few = await this.#measure(this.pool, 'measure_few', MEASURE_FEW, [type, Math.min(objects, FEW)]);
    if (few.objects < FEW || few.objects >= objects) return few;
    return this.#measure(this.measuring, 'measure', MEASURE, [type, objects]);
  }

  #measure(pool: Pool, name: string, text: string, asked: readonly number[]): Promise<Measure> {
    return pool.use(async (connection) => measured(await connection.statement(name, text, asked)));
  }

  async typesIn(namespace: string): Promise<readonly TypeId[]> {
    if (!isPossibleText(namespace)) return [];
    return this.pool.use(async (connection) => {
      const rows = await connection.statement('types_in', TYPES_IN, [namespace]);
      return rows.map(([type]) => Number(type));
    });
  }

  async namespaceState(namespaces: TypeId, name: string): Promise<NamespaceState> {
    if (!isPossibleKey({ namespace: '', name })) return 'namespace-not-found';
    return this.pool.use(async (connection) => {
      const [row] = await connection.statement('namespace', NAMESPACE, [namespaces, name]);
      if (!row) return 'namespace-not-found';
      return row[0] === 'true' ? 'namespace-terminating' : 'open';
    });
  }

  lastVersion(): Promise<Version> {
    return this.#lastVersions.add(undefined);
  }

  /** Reads the time, so that clocks are compared as well. */
  ping(): Promise<void> {
    return this.pool.use(async (connection) => {
      const asked = Date.now();
      const [row] = await connection.statement('clock', 'SELECT extract(epoch FROM clock_timestamp())', []);
      this.observer.clockRead?.(offsetOf(asked, Number(row?.[0]) * 1000, Date.now()));
    });
  }

  async #readLastVersion(asked: readonly undefined[]): Promise<Version[]> {
    const [row] = await this.pool.use((connection) => connection.statement('last_version', LAST_VERSION, []));
    return asked.map(() => BigInt(row?.[0] ?? 0));
  }

  async #readHeads(asked: readonly (readonly TypeId[])[]): Promise<ReadonlyMap<TypeId, Head>[]> {
    const types = asked.length === 1 ? (asked[0] ?? []) : [...new Set(asked.flat())];
    const heads = await this.pool.use((connection) => this.#headsOn(connection, types));
    return asked.map(() => heads);
  }

  async #headsOn(connection: DatabaseConnection, types: readonly TypeId[]): Promise<ReadonlyMap<TypeId, Head>> {
    for (;;) {
      // Versions that others have announced by the time the query begins; later ones may be ahead of its answer.
      const announced = types.map((type) => this.lineage.announced(type));
      const rows = await connection.statement('heads', HEADS, [int4Array(types)]);
      const heads = new Map<TypeId, Head>();
      for (const row of rows) {
        heads.set(Number(row[0]), { head: BigInt(text(row, 1)), floor: BigInt(text(row, 2)) });
      }
      const missing = types.some((type, i) => {
        const at = heads.get(type) ?? { head: 0n, floor: 0n };
        return announced[i]?.some((version) => this.lineage.isMissing(type, version, at));
      });
      const [first] = rows;
      if (!missing && (!first || this.lineage.isKnown({ epoch: first[3], resumed: first[4] }))) {
        for (const [type, { head }] of heads) this.lineage.observe(type, head);
        return heads;
      }
      await this.lineage.inspect(connection);
    }
  }
}

const measured = ([row]: readonly TextRow[]): Measure => ({ objects: Number(row?.[0]), bytes: Number(row?.[1]) });

export function unknownType(type: TypeId): Error {
  return new Error(`resource type ${type} is not registered`);
}

/** The least clock offset, in milliseconds, that is certain: the answer was made between request and arrival. */
function offsetOf(asked: number, theirs: number, answered: number): number {
  if (theirs < asked) return asked - theirs;
  return Math.min(0, answered - theirs);
}
