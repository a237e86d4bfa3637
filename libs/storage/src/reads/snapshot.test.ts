import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TypeId } from '../face/key.js';
import type { Snapshot, SnapshotRequest } from '../face/store.js';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

const OBJECTS = 4_000;
/** How often a list is timed; the fastest counts, since the machine does other things too. */
const TRIES = 3;

let server: TestServer;
let store: PostgresStore;

beforeAll(async () => {
  server = await startTestServer();
  store = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema() });
});
afterAll(async () => {
  await store?.close();
  await server?.dispose();
});

async function read(snapshot: Snapshot): Promise<number> {
  let rows = 0;
  for await (const page of snapshot.pages) rows += page.length;
  return rows;
}

async function fastest(request: SnapshotRequest): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < TRIES; round++) {
    const began = performance.now();
    expect(await read(await store.snapshot(request))).toBe(OBJECTS);
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

// The planner knows nothing of history (its partitions are too short-lived to be analyzed): a join of every object with
// every change took two orders of magnitude longer than the newest state.
it('a version that much has changed since costs a small multiple of the newest', async () => {
  const [type = 0 as TypeId] = await store.registerTypes([{ group: 'test.example', resource: 'things' }]);
  const body = Buffer.from('{"metadata":{}}');
  const written = await Promise.all(
    Array.from({ length: OBJECTS }, (_, index) =>
      store.write({ op: 'create', type, namespace: 'n', name: `o${index}`, uid: 'u', body, requireNamespace: false }),
    ),
  );
  const at = (await store.heads([type])).get(type)?.head;
  await Promise.all(
    written.slice(0, OBJECTS / 2).map(async (outcome, index) => {
      if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
      const { version } = outcome;
      return store.write({ op: 'update', type, namespace: 'n', name: `o${index}`, version, body, terminating: false });
    }),
  );
  const newest = await fastest({ type, namespace: 'n' });
  const older = await fastest({ type, namespace: 'n', ...(at !== undefined && { at }) });
  expect(older, `newest ${newest.toFixed()} ms`).toBeLessThan(15 * newest);
});
