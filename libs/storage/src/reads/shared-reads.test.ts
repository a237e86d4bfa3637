import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BodyCodec } from '../face/body-codec.js';
import type { TypeId, Version } from '../face/key.js';
import type { StoreOptions } from '../face/options.js';
import type { HistoricChange, Row, WriteOp } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { APART, bodyOf } from '../testing/body-codec.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

const MB = 1_000_000;

let server: TestServer;
let schema: string;
let type: TypeId;
let session: pg.Client;
const stores: PostgresStore[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  schema = server.freshSchema();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});
afterAll(() => server.dispose());

async function open(options: Partial<StoreOptions> = {}): Promise<PostgresStore> {
  const store = await openStore({ url: server.url, naming: 'orch', schema, ...options });
  stores.push(store);
  [type = 0] = await store.registerTypes([{ group: '', resource: 'things' }]);
  session = await server.session(schema);
  return store;
}

async function written(store: PostgresStore, op: WriteOp): Promise<Version> {
  const outcome = await store.write(op);
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

const create = (store: PostgresStore, name: string, body: Buffer = Buffer.from('{}')) =>
  written(store, { op: 'create', type, namespace: 'n', name, uid: 'u', body, requireNamespace: false });
const update = (store: PostgresStore, name: string, version: Version, body: Buffer) =>
  written(store, { op: 'update', type, namespace: 'n', name, version, body, terminating: false });
const get = (store: PostgresStore, name: string) => store.get(type, { namespace: 'n', name });
const large = (seed: number, size = MB): Buffer => Buffer.from(`${seed},`.repeat(size).slice(0, size));

describe('reads that share a statement', () => {
  it.each([
    ['a zero character', 'a\0b'],
    ['half of a surrogate pair', 'a\ud800'],
    ['no name', ''],
    ['a name that is longer than any', 'x'.repeat(10_000)],
  ])('find nothing where an object cannot have the key (%s), and go on for the others', async (_, name) => {
    const store = await open();
    await create(store, 'good');
    // What the half pair would be read as.
    await create(store, 'a\ufffd');
    const found = await Promise.all([get(store, 'good'), get(store, name), get(store, 'good')]);
    expect(found.map((row) => row?.name)).toEqual(['good', undefined, 'good']);
    expect(await store.get(type, { namespace: name, name: 'good' })).toBeUndefined();
    expect(await store.namespaceState(type, name)).toBe('namespace-not-found');
    expect(await store.typesIn(name)).toEqual([]);
  });

  it('fail alone where one of the rows cannot be read', async () => {
    const spoilt: BodyCodec = {
      ...APART,
      join: (body, owners) => {
        if (Buffer.from(owners).reverse().equals(Buffer.from('broken'))) throw new Error('unreadable owners');
        return APART.join(body, owners);
      },
    };
    const store = await open({ bodies: spoilt });
    await create(store, 'good', bodyOf('1', 'somebody'));
    await create(store, 'bad', bodyOf('1', 'broken'));
    await create(store, 'huge', bodyOf('1'.repeat(100_000), 'somebody'));
    await create(store, 'huge-bad', bodyOf('1'.repeat(100_000), 'broken'));
    const names = ['bad', 'good', 'huge-bad', 'huge', 'missing'];
    const found = await Promise.allSettled(names.map((name) => get(store, name)));
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await get(store, 'huge')).toMatchObject({ name: 'huge', body: bodyOf('1'.repeat(100_000), 'somebody') });
  });

  it('are apart from those of large bodies, of which few are read at a time', async () => {
    const sizes: number[] = [];
    const store = await open({
      observer: {
        batch(batch, work) {
          if (batch.lane === 'get') sizes.push(batch.size);
          return work();
        },
      },
    });
    const names = Array.from({ length: 20 }, (_, i) => `large-${i}`);
    await Promise.all(names.map((name, i) => create(store, name, large(i))));
    await create(store, 'small');
    const order: string[] = [];
    const noted = async (name: string) => {
      const row = await get(store, name);
      order.push(name);
      return row;
    };
    const reads = Promise.all(names.map(noted));
    await Promise.all([noted('small'), reads]);
    expect(order.indexOf('small')).toBeLessThanOrEqual(1);
    for (const [i, row] of (await reads).entries()) expect(row?.body.equals(large(i))).toBe(true);
    expect(sizes).toEqual([21, ...names.map(() => 1)]);
  });

  it('are in turn where bodies are large and where they are not quite', async () => {
    const store = await open();
    const names = Array.from({ length: 20 }, (_, i) => `large-${i}`);
    await Promise.all(names.map((name, i) => create(store, name, large(i))));
    await create(store, 'middling', large(1, 50_000));
    const order: string[] = [];
    const noted = (name: string) => get(store, name).then(() => order.push(name));
    const crowd = names.map(noted);
    await noted('middling');
    expect(order.indexOf('middling')).toBeLessThanOrEqual(2);
    await Promise.all(crowd);
    expect(order).toHaveLength(21);
  });

  it('find a large body as it is when it is read', async () => {
    const store = await open();
    const version = await create(store, 'o', large(1));
    await session.query('BEGIN; LOCK TABLE object IN ACCESS EXCLUSIVE MODE');
    const reads = [get(store, 'o'), get(store, 'none')];
    await session.query('COMMIT');
    expect((await Promise.all(reads)).map((row) => row?.version)).toEqual([version, undefined]);
    await written(store, { op: 'delete', type, namespace: 'n', name: 'o', version, body: Buffer.from('{}') });
    expect(await get(store, 'o')).toBeUndefined();
  });

  it('do not wait for those whose connection hangs', async () => {
    const store = await open();
    await create(store, 'a');
    // Two connections, of which the next read takes the one that was used last.
    await Promise.all([get(store, 'a'), store.heads([type]), store.lastVersion()]);
    await get(store, 'a');
    const { rows } = await session.query(
      `SELECT pid FROM pg_stat_activity
        WHERE application_name = 'cluster-store' AND query LIKE '%unnest%' ORDER BY state_change DESC LIMIT 1`,
    );
    process.kill(rows[0].pid, 'SIGSTOP');
    let hung: Promise<Row | undefined> | undefined;
    try {
      hung = get(store, 'a');
      hung.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      expect((await Promise.all([get(store, 'a'), get(store, 'a')])).map((row) => row?.name)).toEqual(['a', 'a']);
    } finally {
      process.kill(rows[0].pid, 'SIGCONT');
    }
    expect((await hung)?.name).toBe('a');
  });
});

describe('pages of history', () => {
  /** All changes behind a version, and the bytes of each page. */
  async function readAll(store: PostgresStore, from: Version, most = 1000) {
    const pages: (readonly HistoricChange[])[] = [];
    for (let after = from; ; after = pages.at(-1)?.at(-1)?.version ?? from) {
      const page = await store.changes(type, after, most);
      if (page.length === 0) break;
      pages.push(page);
    }
    const bytes = pages.map((page) => {
      const bodies = new Set(page.flatMap(({ body, prior }) => (prior ? [body, prior] : [body])));
      return [...bodies].reduce((sum, { length }) => sum + length, 0);
    });
    return { changes: pages.flat(), sizes: pages.map((page) => page.length), bytes };
  }

  it('are bounded in bytes, and hold every change once', async () => {
    const historyPageBytes = 3 * MB;
    const store = await open({ historyPageBytes });
    const { floor } = (await store.heads([type])).get(type) ?? expect.unreachable();
    let version = await create(store, 'o', large(0));
    for (let i = 1; i < 8; i++) version = await update(store, 'o', version, large(i));
    await update(store, 'o', version, large(8, 2.5 * MB));
    await Promise.all(Array.from({ length: 30 }, (_, i) => create(store, `small-${i}`)));
    const { changes, sizes, bytes } = await readAll(store, floor);
    expect(changes.slice(0, 9).map(({ body }) => body.length)).toEqual([...Array(8).fill(MB), 2.5 * MB]);
    expect(changes.every(({ body }, i) => i >= 8 || body.equals(large(i)))).toBe(true);
    expect(changes.slice(1, 9).every(({ prior }, i) => prior?.equals(large(i)))).toBe(true);
    expect(changes).toHaveLength(39);
    changes.slice(1).forEach(({ previous }, i) => void expect(previous).toBe(changes[i]?.version));
    // The first change has no state before it, those behind it in a page find theirs there; the ninth is larger than a page on its own.
    expect(sizes).toEqual([3, 2, 2, 1, 1, 30]);
    expect(changes[1]?.prior).toBe(changes[0]?.body);
    expect(bytes.every((size, i) => size <= historyPageBytes || sizes[i] === 1)).toBe(true);
    const again = await readAll(store, floor, 7);
    expect(again.changes.map(({ version }) => version)).toEqual(changes.map(({ version }) => version));
  });

  it('hold as many changes as are asked for, where these are small', async () => {
    const store = await open();
    const { floor } = (await store.heads([type])).get(type) ?? expect.unreachable();
    await Promise.all(Array.from({ length: 25 }, (_, i) => create(store, `o${i}`)));
    expect((await readAll(store, floor, 10)).sizes).toEqual([10, 10, 5]);
  });

  it('are read on connections of their own: those that hang hold up nothing else', async () => {
    const store = await open({ historyConnections: 2 });
    const { floor } = (await store.heads([type])).get(type) ?? expect.unreachable();
    const head = await create(store, 'a');
    await session.query('BEGIN; LOCK TABLE history_partition IN ACCESS EXCLUSIVE MODE');
    let settled = 0;
    const hanging = Array.from({ length: 5 }, () => store.changes(type, floor, 10).finally(() => settled++));
    for (const read of hanging) read.catch(() => undefined);
    expect((await get(store, 'a'))?.version).toBe(head);
    expect((await store.heads([type])).get(type)?.head).toBe(head);
    await session.query('SELECT pg_sleep(0)');
    expect(settled).toBe(0);
    await session.query('COMMIT');
    expect((await Promise.all(hanging)).map((page) => page.length)).toEqual([1, 1, 1, 1, 1]);
  });
});
