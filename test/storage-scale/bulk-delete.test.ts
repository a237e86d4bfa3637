import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCopies, inDatabase } from '../support/copies.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { PlainClient } from './client.js';
import { childrenCpuSeconds, cpuSeconds, memoryMiB } from './process-usage.js';

const COLLECTION = 10_000;
const NAMESPACE = 50_000;

let server: Standalone;
let client: PlainClient;

beforeAll(async () => {
  server = await startStandalone();
  client = new PlainClient(server);
});
afterAll(async () => {
  client?.close();
  await server?.stop();
});

const collection = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

async function fill(namespace: string, objects: number, more: object = {}): Promise<void> {
  await client.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await client.many(objects, 128, (i) => create(namespace, `c${i}`, i % 2 ? 'odd' : 'even', more));
}

async function create(namespace: string, name: string, parity: string, more: object = {}): Promise<void> {
  const object = { metadata: { name, labels: { parity }, ...more }, data: { text: 'x'.repeat(1000) } };
  expect((await client.ask('POST', collection(namespace), object)).status).toBe(201);
}

/** As `fill`, of thousands: one of each parity is created by a client, all others are copies of these. */
async function fillWithCopies(namespace: string, objects: number): Promise<void> {
  await client.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  for (const parity of ['odd', 'even']) {
    const of = `template-${parity}`;
    await create(namespace, of, parity);
    const copies = { namespace, of, prefix: `${parity}-`, count: objects / 2 - 1 };
    await inDatabase(server.postgresDir, (database) => createCopies(database, copies));
  }
  expect(await count(collection(namespace))).toBe(objects);
}

async function count(path: string): Promise<number> {
  const { text } = await client.ask('GET', `${path}?limit=1`);
  const list = JSON.parse(text) as { items: unknown[]; metadata: { remainingItemCount?: number } };
  return list.items.length + (list.metadata.remainingItemCount ?? 0);
}

/** Prints what something took. */
async function measured(what: string, work: () => Promise<void>): Promise<void> {
  const { pid } = server.process;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const [began, own, database] = [performance.now(), cpuSeconds(pid), childrenCpuSeconds(pid)];
  await work();
  const seconds = (performance.now() - began) / 1000;
  const cpu = `CPU ${(cpuSeconds(pid) - own).toFixed(1)} s and ${(childrenCpuSeconds(pid) - database).toFixed(1)} s of PostgreSQL`;
  console.log(`${what}: ${seconds.toFixed(1)} s, ${cpu}, peak RSS ${memoryMiB(pid, 'VmHWM')} MiB`);
}

describe('bulk deletion', () => {
  it(`deletecollection of ${COLLECTION} objects is one request`, async () => {
    await fillWithCopies('many', COLLECTION);
    await measured(`deletecollection of ${COLLECTION}`, async () => {
      const answer = await client.ask('DELETE', collection('many'));
      expect(answer).toMatchObject({ status: 200, complete: true });
      expect(answer.text).toContain('"kind":"ConfigMapList"');
      expect(answer.bytes).toBeGreaterThan(COLLECTION * 1000);
    });
    expect(await count(collection('many'))).toBe(0);
  }, 120_000);

  it('deletecollection of what does not fit in memory goes in portions, each read by itself', async () => {
    const small = await startStandalone({ args: ['--list-load-bytes=0', '--database-lists=1'] });
    const before = { server, client };
    try {
      [server, client] = [small, new PlainClient(small)];
      await fillWithCopies('portions', 6_000);
      const answer = await client.ask('DELETE', `${collection('portions')}?labelSelector=parity=odd`);
      expect(answer).toMatchObject({ status: 200, complete: true });
      expect(answer.bytes).toBeGreaterThan(3_000 * 1000);
      expect(await count(collection('portions'))).toBe(3_000);
      expect((await client.ask('DELETE', `${collection('portions')}?limit=2500`)).status).toBe(200);
      expect(await count(collection('portions'))).toBe(500);
    } finally {
      client.close();
      ({ server, client } = before);
      await small.stop();
    }
  }, 120_000);

  it('deletecollection honours selectors, limits, dry runs, finalizers and preconditions', async () => {
    await fill('some', 600);
    const path = collection('some');
    expect((await client.ask('DELETE', `${path}?dryRun=All`)).status).toBe(200);
    expect(await count(path)).toBe(600);
    const wrong = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'somebody-else' } };
    expect((await client.ask('DELETE', path, wrong)).status).toBe(409);
    expect(await count(path)).toBe(600);
    const odd = await client.ask('DELETE', `${path}?labelSelector=parity=odd`);
    expect(odd.status).toBe(200);
    expect(await count(path)).toBe(300);
    const some = JSON.parse((await client.ask('DELETE', `${path}?limit=20`)).text) as {
      items: unknown[];
      metadata: { remainingItemCount?: number };
    };
    expect([some.items.length, some.metadata.remainingItemCount]).toEqual([20, 280]);
    expect(await count(path)).toBe(280);
    await fill('held', 40, { finalizers: ['example.com/hold'] });
    expect((await client.ask('DELETE', collection('held'))).status).toBe(200);
    const held = JSON.parse((await client.ask('GET', collection('held'))).text) as {
      items: { metadata: { deletionTimestamp?: string } }[];
    };
    expect(held.items).toHaveLength(40);
    for (const { metadata } of held.items) expect(metadata.deletionTimestamp).toEqual(expect.any(String));
  });

  it(`a namespace of ${NAMESPACE} objects goes, also over a restart`, async () => {
    await fillWithCopies('huge', NAMESPACE);
    const gone = () =>
      expect.poll(async () => (await client.ask('GET', '/api/v1/namespaces/huge')).status, {
        timeout: 300_000,
        interval: 50,
      });
    await measured(`deletion of a namespace of ${NAMESPACE}`, async () => {
      expect((await client.ask('DELETE', '/api/v1/namespaces/huge')).status).toBe(200);
      await gone().toBe(404);
    });
    await fillWithCopies('again', 5_000);
    await client.ask('DELETE', '/api/v1/namespaces/again');
    await server.process.stop();
    await server.process.start();
    await expect
      .poll(async () => (await client.ask('GET', '/api/v1/namespaces/again')).status, { timeout: 60_000 })
      .toBe(404);
  }, 480_000);
});
