/**
 * Writes a second, latency and CPU per write at several numbers of requesters, against an embedded PostgreSQL or a given one.
 *
 *   npx tsx --conditions=source libs/storage/bench/write.ts [--url=postgres://…] [--seconds=3] [--requesters=1,16,64] [--bytes=1024]
 *     [--types=1] [--stores=1,2]
 *
 * Requesters are spread over so many types, and over so many stores, which stand for servers that write the same types.
 * CPU of the database is read from /proc for the processes below the embedded postmaster; with --url it is not known.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../src/embedded/index.js';
import { openStore, type PostgresStore, type TypeId, type Version } from '../src/index.js';

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    requesters: { type: 'string', default: '1,16,64' },
    bytes: { type: 'string', default: '1024' },
    types: { type: 'string', default: '1' },
    stores: { type: 'string', default: '1' },
    binaries: { type: 'string' },
  },
});

/** Microseconds of CPU that the processes below a postmaster have used so far (clock ticks are 10 ms). */
function databaseCpu(postmaster: number | undefined): number {
  let ticks = 0;
  for (const entry of postmaster === undefined ? [] : readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process ended between the listing and the reading.
    }
  }
  return ticks * 10_000;
}

let runs = 0;

async function run(
  stores: readonly PostgresStore[],
  types: readonly TypeId[],
  requesters: number,
  postmaster: number | undefined,
) {
  const body = Buffer.alloc(Number(flags.bytes), '{"metadata":{"name":"x"},"data":"0123456789"}');
  const prefix = `run${runs++}`;
  const latencies: number[] = [];
  const end = performance.now() + Number(flags.seconds) * 1000;
  const cpu = process.cpuUsage();
  const database = databaseCpu(postmaster);
  const begin = performance.now();
  const name = (i: number) => `${prefix}-${i}`;
  await Promise.all(
    Array.from({ length: requesters }, async (_, i) => {
      let version: Version | undefined;
      const store = stores[i % stores.length] as PostgresStore;
      const type = types[Math.floor(i / stores.length) % types.length] ?? 0;
      while (performance.now() < end) {
        const key = { namespace: 'bench', name: name(i) };
        const start = performance.now();
        const outcome =
          version === undefined
            ? await store.write({ op: 'create', type, ...key, uid: name(i), body, requireNamespace: false })
            : await store.write({ op: 'update', type, ...key, version, body, terminating: false });
        latencies.push(performance.now() - start);
        if (outcome.outcome !== 'committed') throw new Error(outcome.outcome);
        version = outcome.version;
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const used = process.cpuUsage(cpu);
  const count = latencies.length;
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => (latencies[Math.floor(q * (count - 1))] ?? 0).toFixed(2);
  return {
    stores: stores.length,
    requesters,
    'writes/s': Math.round(count / seconds),
    'p50 ms': quantile(0.5),
    'p99 ms': quantile(0.99),
    'node µs': ((used.user + used.system) / count).toFixed(1),
    'postgres µs': ((databaseCpu(postmaster) - database) / count).toFixed(1),
  };
}

const directory = await mkdtemp(join(tmpdir(), 'bench-'));
const server = flags.url
  ? undefined
  : await startEmbeddedPostgres({ dataDir: directory, ...(flags.binaries ? { binDir: flags.binaries } : {}) });
const counts = (flags.stores ?? '').split(',').map(Number);
const open = () => openStore({ url: flags.url ?? server?.url ?? '', naming: 'orch' });
const stores: PostgresStore[] = [];
for (let i = 0; i < Math.max(...counts); i++) stores.push(await open());
const resources = Array.from({ length: Number(flags.types) }, (_, i) => ({ group: '', resource: `things${i}` }));
const types = (await stores[0]?.registerTypes(resources)) ?? [];
await run(stores, types, 16, server?.pid);
const rows = [];
for (const requesters of (flags.requesters ?? '').split(','))
  for (const count of counts) rows.push(await run(stores.slice(0, count), types, Number(requesters), server?.pid));
console.table(rows);
await Promise.all(stores.map((store) => store.close()));
await server?.stop();
await rm(directory, { recursive: true, force: true });
