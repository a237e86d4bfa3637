import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HistoryExpiredError, StoreUnavailableError } from './face/errors.js';
import type { TypeId, Version } from './face/key.js';
import type { HistoricChange } from './face/store.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import { chooseSeed, seededRandom } from './testing/random.js';
import { startTestServer, type TestServer } from './testing/servers.js';

/** What a writer knows of its writes: acknowledged with a version, or of unknown outcome. */
interface Ledger {
  readonly acknowledged: Map<string, Version>;
  readonly undecided: Set<string>;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());

async function openStores(count: number) {
  const schema = server.freshSchema();
  const open = () =>
    openStore({ url: server.url, naming: 'orch', schema, batchItems: 20, applicationName: `consistency-${schema}` });
  const stores = await Promise.all(Array.from({ length: count }, open));
  const types = await (stores[0] as PostgresStore).registerTypes([
    { group: '', resource: 'a' },
    { group: '', resource: 'b' },
  ]);
  return { schema, stores, types };
}

/** Follows a type until told to stop, insisting on the chain; then reads to the end. */
async function tail(
  store: PostgresStore,
  type: TypeId,
  start: Version,
  stopped: () => boolean,
): Promise<HistoricChange[]> {
  const seen: HistoricChange[] = [];
  let at = start;
  for (let last = false; ; ) {
    const ending = stopped();
    try {
      const changes = await store.changes(type, at, 500);
      for (const change of changes) {
        expect(change.previous, `the chain of type ${type} at ${change.version}`).toBe(at);
        at = change.version;
        seen.push(change);
      }
      if (changes.length === 0 && last) return seen;
      last = ending;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }
}

/** Creates objects of unique names, some at once, until told to stop. */
async function keepWriting(
  store: PostgresStore,
  types: readonly TypeId[],
  who: string,
  random: () => number,
  stopped: () => boolean,
) {
  const ledger: Ledger = { acknowledged: new Map(), undecided: new Set() };
  const writer = async (lane: number) => {
    for (let i = 0; !stopped(); i++) {
      const name = `${who}-${lane}-${i}`;
      const type = types[Math.floor(random() * types.length)] ?? 0;
      try {
        const body = Buffer.from(name);
        const outcome = await store.write({
          op: 'create',
          type,
          namespace: '',
          name,
          uid: 'u',
          body,
          requireNamespace: false,
        });
        if (outcome.outcome !== 'committed') throw new Error(`${name}: ${outcome.outcome}`);
        ledger.acknowledged.set(name, outcome.version);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (error.undecided) ledger.undecided.add(name);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, lane) => writer(lane)));
  return ledger;
}

describe('invariants 1 and 2', () => {
  it('three writers and two tailing readers, backends killed all the while: nothing lost, doubled, late or out of order', async () => {
    const seed = chooseSeed();
    const random = seededRandom(seed);
    const { schema, stores, types } = await openStores(4);
    const [reader, ...writers] = stores as [PostgresStore, ...PostgresStore[]];
    const heads = await reader.heads(types);
    const killer = await server.session(schema);
    let stopped = false;
    const earliest = performance.now() + 2200;
    let isEnough = false;
    const tails = types.map((type) => tail(reader, type, heads.get(type)?.head ?? 0n, () => stopped));
    const ledgers = writers.map((store, i) => keepWriting(store, types, `w${i}`, random, () => isEnough));
    let kills = 0;
    // By the clock alone few are killed on a machine that has much else to do.
    while (performance.now() < earliest || kills < 6) {
      const { rowCount } = await killer.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = $1 AND pid <> pg_backend_pid() AND state = 'active' ORDER BY random() LIMIT 1`,
        [`consistency-${schema}`],
      );
      kills += rowCount ?? 0;
      await killer.query('SELECT pg_sleep(0.05)');
    }
    isEnough = true;
    const written = await Promise.all(ledgers);
    stopped = true;
    const histories = await Promise.all(tails);
    const seen = new Map<string, Version>();
    for (const change of histories.flat()) {
      expect(seen.has(change.name), `seed ${seed}: ${change.name} applied twice`).toBe(false);
      seen.set(change.name, change.version);
    }
    let undecided = 0;
    for (const { acknowledged, undecided: open } of written) {
      for (const [name, version] of acknowledged) expect(seen.get(name), `seed ${seed}: ${name} lost`).toBe(version);
      for (const name of seen.keys()) if (open.has(name)) undecided++;
    }
    const total = written.reduce((sum, ledger) => sum + ledger.acknowledged.size, 0);
    expect(seen.size).toBe(total + undecided);
    expect(kills).toBeGreaterThan(5);
    expect(total).toBeGreaterThan(200);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('versions drawn before the lane is taken would be noticed: history that is no chain has expired', async () => {
    const { schema, stores, types } = await openStores(2);
    const [store] = stores as [PostgresStore];
    const [type = 0] = types;
    const meddler = await server.session(schema);
    const { head } = (await store.heads([type])).get(type) ?? { head: 0n };
    // A writer that draws first and commits late, past another's commit.
    const drawn = BigInt((await meddler.query(`SELECT nextval('resource_version') v`)).rows[0].v);
    await store.write({
      op: 'create',
      type,
      namespace: '',
      name: 'quick',
      uid: 'u',
      body: Buffer.from('q'),
      requireNamespace: false,
    });
    await meddler.query(
      `INSERT INTO change (type, version, previous, at, action, namespace, name, uid, body) VALUES ($1, $2, $3, 0, 1, '', 'late', 'u', '')`,
      [type, drawn, head],
    );
    await expect(tail(store, type, head, () => true)).rejects.toThrow(HistoryExpiredError);
    await Promise.all(stores.map((one) => one.close()));
  });
});
