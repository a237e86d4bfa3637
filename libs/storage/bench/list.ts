/** Cold lists straight from the database: milliseconds, CPU of this process, and growth of its memory. `npx tsx libs/storage/bench/list.ts` */
import { openStore, type PostgresStore } from '../src/index.js';
import { startTestServer } from '../src/testing/servers.js';

const ROUNDS = 5;

async function fill(store: PostgresStore, resource: string, objects: number, bytes: number): Promise<number> {
  const [type = 0] = await store.registerTypes([{ group: 'bench', resource }]);
  const body = Buffer.from(`{"metadata":{},"data":"${'x'.repeat(bytes)}"}`);
  const write = (i: number) =>
    store.write({ op: 'create', type, namespace: 'n', name: `o${i}`, uid: 'u', body, requireNamespace: false });
  for (let from = 0; from < objects; from += 200) {
    await Promise.all(Array.from({ length: Math.min(200, objects - from) }, (_, i) => write(from + i)));
  }
  return type;
}

async function measure(store: PostgresStore, type: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const cpu = process.cpuUsage();
    let rows = 0;
    let peak = 0;
    for await (const page of (await store.snapshot({ type })).pages) {
      rows += page.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    const { user, system } = process.cpuUsage(cpu);
    const ms = (performance.now() - began).toFixed(1);
    console.log(`${rows} rows: ${ms} ms, CPU ${((user + system) / 1000).toFixed(1)} ms, RSS ${peak >> 20} MiB`);
  }
}

const server = await startTestServer();
const store = await openStore({ url: server.url, naming: 'orch', schema: server.freshSchema() });
try {
  await measure(store, await fill(store, 'small', 10_000, 1024));
  await measure(store, await fill(store, 'large', 200, 1 << 20));
} finally {
  await store.close();
  await server.dispose();
}
