import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Key, TypeId, Version } from '../face/key.js';
import type { SnapshotRequest, WriteOp } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';
import { areFewer } from './snapshot-sql.js';

const OBJECTS = 40;

let server: TestServer;
/** One reads what is there, the other goes around what is dead. */
let plain: PostgresStore;
let around: PostgresStore;
let schema: string;
let type: TypeId;
let versions: Version[];

const keyOf = (i: number): Key => ({ namespace: `n${i % 3}`, name: `o${String(i).padStart(3, '0')}` });
const bodyOf = (text: string) => Buffer.from(`{"metadata":{},"text":"${text}"}`);

async function write(op: WriteOp): Promise<Version> {
  const outcome = await plain.write(op);
  if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
  return outcome.version;
}

const create = (i: number, text = 'new') =>
  write({ op: 'create', type, ...keyOf(i), uid: `u${i}`, body: bodyOf(text), requireNamespace: false });
const update = (i: number, version: Version) =>
  write({ op: 'update', type, ...keyOf(i), version, body: bodyOf(`at ${version}`), terminating: false });

beforeAll(async () => {
  server = await startTestServer();
  schema = server.freshSchema();
  plain = await openStore({ url: server.url, naming: 'orch', schema });
  around = await openStore({ url: server.url, naming: 'orch', schema, deadRows: 0 });
  const types = ['others', 'things', 'after'].map((resource) => ({ group: '', resource }));
  const ids = await plain.registerTypes(types);
  await around.registerTypes(types);
  for (const other of [0, 2]) {
    type = ids[other] ?? 0;
    await create(1, 'of another type');
  }
  type = ids[1] ?? 0;
  versions = [];
  const held = new Map<number, Version>();
  for (let i = 0; i < OBJECTS; i++) held.set(i, await create(i));
  for (let turn = 0; turn < 5; turn++) {
    versions.push([...held.values()].reduce((last, version) => (version > last ? version : last), 0n));
    for (const [i, version] of [...held]) {
      if ((i + turn) % 11 === 0) {
        await write({ op: 'delete', type, ...keyOf(i), version, body: bodyOf('last') });
        held.delete(i);
      } else if ((i + turn) % 3 > 0) held.set(i, await update(i, version));
    }
    if (turn === 3) held.set(0, await create(0, 'again'));
  }
});
afterAll(async () => {
  await plain.close();
  await around.close();
  await server.dispose();
});

async function read(store: PostgresStore, request: SnapshotRequest) {
  const { pages, ...about } = await store.snapshot(request);
  const rows = [];
  for await (const page of pages) rows.push(...page);
  return { ...about, rows };
}

const RANGES: readonly [string, Partial<SnapshotRequest>][] = [
  ['all', {}],
  ['of a namespace', { namespace: 'n1' }],
  ['of a namespace without objects', { namespace: 'n' }],
  ['behind a key', { after: keyOf(16) }],
  ['behind a key, of its namespace', { after: keyOf(16), namespace: 'n1' }],
  ['behind a key, of another namespace', { after: keyOf(16), namespace: 'n2' }],
];

describe('going around dead row versions', () => {
  it.each(RANGES)('finds the same objects: %s', async (_, range) => {
    const request = { type, ...range };
    const found = await read(around, request);
    expect(found).toEqual(await read(plain, request));
    expect(found.rows.length > 0).toBe(range.namespace !== 'n');
  });

  it.each(RANGES)('finds the same pages: %s', async (_, range) => {
    for (const limit of [1, 7, 100]) {
      const request = { type, ...range, limit, cut: 'count' } as const;
      expect(await read(around, request), `limit ${limit}`).toEqual(await read(plain, request));
    }
  });

  it.each(RANGES)('finds what was at a version, whole and in pages: %s', async (_, range) => {
    for (const at of versions) {
      for (const page of [{}, { limit: 7, cut: 'count' } as const]) {
        const request = { type, ...range, at, ...page };
        expect(await read(around, request), `at ${at}`).toEqual(await read(plain, request));
      }
    }
  });

  it('is for ranges of few objects, however many their type has', async () => {
    const session = await server.session(schema);
    const isOfFewer = async (range: Partial<SnapshotRequest>, objects: number): Promise<unknown> =>
      (await session.query({ text: areFewer({ type, ...range }, objects), rowMode: 'array' })).rows.flat()[0];
    for (const [, range] of RANGES) {
      const { length } = (await read(plain, { type, ...range })).rows;
      expect(await isOfFewer(range, length + 1)).toBe(true);
      if (length > 0) expect(await isOfFewer(range, length)).toBe(false);
    }
  });

  it('finds nothing where there is nothing', async () => {
    const [empty = 0] = await plain.registerTypes([{ group: '', resource: 'nothing' }]);
    await around.registerTypes([{ group: '', resource: 'nothing' }]);
    expect((await read(around, { type: empty })).rows).toEqual([]);
  });
});
