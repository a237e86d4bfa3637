import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../connections/connection.js';
import { type DatabaseHost, parseDatabaseUrl } from '../connections/connection-url.js';
import type { Key, TypeId, Version } from '../face/key.js';
import { completeOptions } from '../face/options.js';
import type { Row, WriteOp } from '../face/store.js';
import { migrate, shippedMigrations } from '../maintenance/migrate.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { seededRandom } from '../testing/random.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { ensurePartitions, PARTITION_WIDTH } from './history.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

const KEYS = 14;
/** The migration that the index and what goes with it came with. */
const INDEX = 4;

/** What a type holds, and what it held after each of its changes. */
class Model {
  readonly #rows = new Map<string, Row>();
  readonly states: [Version, readonly Row[]][] = [];

  of({ namespace, name }: Key): Row | undefined {
    return this.#rows.get(`${namespace}/${name}`);
  }

  note(op: WriteOp, version: Version): void {
    const { namespace, name, body } = op;
    const id = `${namespace}/${name}`;
    if (op.op === 'delete') this.#rows.delete(id);
    else this.#rows.set(id, { namespace, name, uid: 'u', version, storedVersion: '', defaults: 0, body });
    const rows = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    this.states.push([version, rows]);
  }
}

/** A random history: some objects are hot, some come and go, and one write in forty opens a new partition. */
class History {
  readonly model = new Model();
  readonly #random: () => number;
  #serial = 0;

  constructor(
    readonly type: TypeId,
    seed: number,
  ) {
    this.#random = seededRandom(seed);
  }

  below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  key(): Key {
    // The square makes the first keys hot.
    const i = Math.floor(this.#random() ** 2 * KEYS);
    return { namespace: `n${i % 3}`, name: `o${i}` };
  }

  /** @param byOld by a server that writes no owners */
  op(byOld: boolean): WriteOp {
    const key = this.key();
    const row = this.model.of(key);
    const serial = this.#serial++;
    const owner = byOld || this.below(3) === 0 ? undefined : `owner ${this.below(3)}`;
    const common = { type: this.type, ...key, body: bodyOf(`${serial}`, owner) };
    if (!row) return { ...common, op: 'create', uid: 'u', requireNamespace: false };
    const { version } = row;
    return this.below(8) === 0
      ? { ...common, op: 'delete', version }
      : { ...common, op: 'update', version, terminating: false };
  }
}

const ACTIONS = { create: 1, update: 3, delete: 5 };

/** As servers of the release before the index write. */
const writeBatch = ({ type, op, namespace, name }: WriteOp, expected: Version) =>
  `SELECT o_version FROM write_batch(ARRAY[${type}], '{}', 0, ARRAY[${type}], ARRAY[${ACTIONS[op]}]::smallint[],
     ARRAY['${namespace}'], ARRAY['${name}'], ARRAY['u'], ARRAY[${expected}::bigint], ARRAY[$1::bytea])`;

/** As those of the release before, here without owners of fields. */
const commitUnits = ({ type, op, namespace, name }: WriteOp, expected: Version) =>
  `SELECT o_version FROM commit_units(NULL, ARRAY[${type}], '{}', 0, '{1}', ARRAY[${ACTIONS[op]}]::smallint[],
     ARRAY['${namespace}'], ARRAY['${name}'], ARRAY['u'], ARRAY[${expected}::bigint], '{""}', ARRAY[$1::bytea], '{}', '{1}')`;

async function writeOld(old: DatabaseConnection, call: typeof writeBatch, op: WriteOp): Promise<Version> {
  const expected = op.op === 'create' || op.version === 'previous' ? 0n : op.version;
  const [row] = await old.query(call(op, expected), [`\\x${op.body.toString('hex')}`]);
  return BigInt(row?.[0] ?? 0);
}

async function write(store: PostgresStore, op: WriteOp): Promise<Version> {
  const outcome = await store.write(op);
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

/** All that a version held, by pages of so many; all at once: 0. */
async function stateAt(store: PostgresStore, type: TypeId, at: Version, limit: number): Promise<Row[]> {
  const found: Row[] = [];
  for (let after: Key | undefined; ; ) {
    const request = { type, at, ...(limit > 0 && { limit, cut: 'find' as const }), ...(after && { after }) };
    const snapshot = await store.snapshot(request);
    for await (const page of snapshot.pages) found.push(...page);
    after = snapshot.last;
    if (!after) return found;
  }
}

describe('a random history', () => {
  it.each([1, 2, 3, 4])(
    'is rebuilt at every version, by whoever and wherever it was written (seed %i)',
    async (seed) => {
      const schema = server.freshSchema();
      const options = completeOptions({ url: server.url, naming: 'orch', schema });
      const address = parseDatabaseUrl(server.url);
      const host = address.hosts[0] as DatabaseHost;
      const old = await DatabaseConnection.open(host, { ...options, address, idleTransactionTimeout: 0 });
      const before = (await shippedMigrations()).filter(({ number }) => number < INDEX);
      await migrate(old, schema, before, options);
      await ensurePartitions(old);
      await old.query(`INSERT INTO resource_type VALUES (1, '', 'things', 0)`);
      await old.query('INSERT INTO history_floor VALUES (1, 0)');
      const history = new History(1, seed);
      const { model } = history;
      for (let i = 0; i < 60; i++) {
        const op = history.op(true);
        model.note(op, await writeOld(old, writeBatch, op));
      }
      const store = await openStore({ url: server.url, naming: 'orch', schema, bodies: APART });
      expect(await store.registerTypes([{ group: '', resource: 'things' }])).toEqual([1]);
      for (let i = 0; i < 300; i++) {
        const byOld = i % 5 === 0;
        const op = history.op(byOld);
        model.note(op, byOld ? await writeOld(old, commitUnits, op) : await write(store, op));
        if (history.below(40) > 0) continue;
        await old.query(
          `SELECT setval('resource_version', (last_value / ${PARTITION_WIDTH} + 1) * ${PARTITION_WIDTH} - $1) FROM resource_version`,
          [history.below(3)],
        );
        await ensurePartitions(old);
      }
      for (const [at, rows] of model.states.filter((_, i) => i % 5 === seed)) {
        const limit = history.below(7);
        expect(await stateAt(store, 1, at, limit), `version ${at}, pages of ${limit}`).toEqual(rows);
      }
      await old.end();
      await store.close();
    },
    60_000,
  );
});
