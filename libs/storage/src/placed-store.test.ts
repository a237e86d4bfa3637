import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore } from './contract.js';
import { StoreUnavailableError } from './face/errors.js';
import { IncompatibleDatabaseError } from './maintenance/migrate.js';
import { PlacedStore } from './placed-store.js';
import { openStore, type PostgresStore } from './postgres-store.js';
import { APART } from './testing/body-codec.js';
import { startTestServer, type TestServer } from './testing/servers.js';

/** Types that the contract makes up, all of which are placed in the second database. */
const TYPES = 60;

async function placed(server: TestServer, schemas: readonly [string, string], placements = TYPES) {
  const [main, second] = (await Promise.all(
    schemas.map((schema) => openStore({ url: server.url, naming: 'orch', schema, pageRows: 200, bodies: APART })),
  )) as [PostgresStore, PostgresStore];
  const things = Array.from({ length: placements }, (_, i) => ({
    group: 'test.example',
    resource: `things${i + 1}`,
    store: second,
  }));
  return { store: new PlacedStore(main, things), main, second };
}

async function underTest() {
  const server = await startTestServer();
  const schemas = [server.freshSchema(), server.freshSchema()] as const;
  const opened: PlacedStore[] = [];
  const open = async () => {
    const { store } = await placed(server, schemas);
    // As every process does with the types that it serves.
    await store.registerTypes(
      Array.from({ length: TYPES }, (_, i) => ({ group: 'test.example', resource: `things${i + 1}` })),
    );
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    peer: open,
    async compact() {
      const hour = 3_600_000;
      for (const at of [0, hour, 2 * hour])
        for (const compactor of store.compactors) await compactor.runOnce(Date.now() + at);
    },
    async dispose() {
      await Promise.all(opened.map((one) => one.close()));
      await server.dispose();
    },
  };
}

describeStore('types in a second database', underTest);

describe('PlacedStore', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.dispose());

  const body = Buffer.from('{"metadata":{}}');
  const create = { op: 'create', namespace: 'n', name: 'a', uid: 'u', body, requireNamespace: false } as const;

  it('keeps the types apart, each in its database', async () => {
    const { store, main, second } = await placed(server, [server.freshSchema(), server.freshSchema()], 1);
    const [there = 0, here = 0] = await store.registerTypes([
      { group: 'test.example', resource: 'things1' },
      { group: 'test.example', resource: 'others' },
    ]);
    await store.write({ ...create, type: there });
    await store.write({ ...create, type: here });
    const heads = await store.heads([there, here]);
    expect([...heads.keys()].sort()).toEqual([there, here].sort());
    expect(await main.measure(there, 10)).toMatchObject({ objects: 0 });
    expect(await main.measure(here, 10)).toMatchObject({ objects: 1 });
    const [id = 0] = await second.registerTypes([{ group: 'test.example', resource: 'things1' }]);
    expect(await second.measure(id, 10)).toMatchObject({ objects: 1 });
    expect([there, here].map((type) => store.database(type))).toEqual([1, 0]);
    // The failure of one database leaves the types of the other alone, and the process ready to serve them.
    await second.close();
    expect([...(await store.heads([here])).keys()]).toEqual([here]);
    await expect(store.heads([there])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.write({ ...create, name: 'b', type: there })).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.snapshot({ type: there })).rejects.toBeInstanceOf(StoreUnavailableError);
    await store.ping();
    await main.close();
  });

  it('refuses a set that no one database could commit', async () => {
    const { store } = await placed(server, [server.freshSchema(), server.freshSchema()], 1);
    const [there = 0, here = 0] = await store.registerTypes([
      { group: 'test.example', resource: 'things1' },
      { group: 'test.example', resource: 'others' },
    ]);
    const [apart, main] = [
      { ...create, type: there },
      { ...create, type: here },
    ];
    const across = /cannot be of several databases/;
    await expect(store.writeSet([main, apart])).rejects.toThrow(across);
    // Its namespace is in the main one.
    await expect(store.writeSet([{ ...apart, requireNamespace: true }])).rejects.toThrow(across);
    expect(await store.get(there, create)).toBeUndefined();
    expect(await store.writeSet([apart])).toMatchObject({ outcome: 'committed' });
    await store.close();
  });

  it('refuses to place the namespaces elsewhere, as nothing could be created in them', async () => {
    const { store } = await placed(server, [server.freshSchema(), server.freshSchema()], 1);
    const [namespaces = 0] = await store.registerTypes([{ group: 'test.example', resource: 'things1' }]);
    expect(() => store.setNamespaceType(namespaces)).toThrow(IncompatibleDatabaseError);
    await store.close();
  });

  it('refuses to place a type elsewhere that has objects in the main database', async () => {
    const schemas = [server.freshSchema(), server.freshSchema()] as const;
    const thing = [{ group: 'test.example', resource: 'things1' }];
    const before = await openStore({ url: server.url, naming: 'orch', schema: schemas[0] });
    const [type = 0] = await before.registerTypes(thing);
    await before.write({ ...create, type });
    await before.close();
    const { store } = await placed(server, schemas, 1);
    await expect(store.registerTypes(thing)).rejects.toThrow(/test\.example\/things1 is placed in another database/);
    await store.close();
  });
});
