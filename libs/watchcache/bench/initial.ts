/*
 * What initial states cost with sinks that cost nothing: everything but the socket. Run with
 *   npx tsx --conditions=source libs/watchcache/bench/initial.ts
 */
import { inProcessBus, OrderedFeed } from '@orch/feed';
import { MemorySource } from '@orch/feed/testing';
import { type FrameEncoder, TypeCache, type Watcher } from '@orch/watchcache';

const TYPE = 1;

const encoder: FrameEncoder = {
  key: 'bench',
  event: (kind, { body }, version) => {
    const head = Buffer.from(`{"type":"${kind}","object":{"metadata":{"resourceVersion":"${version}",`);
    const length = head.length + body.length - 12 + 2;
    return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), head, body.subarray(12), Buffer.from('}\n\r\n')]);
  },
  bookmark: (version) => Buffer.from(`${version}`),
  error: (kind) => Buffer.from(String(kind)),
};

interface Scenario {
  readonly title: string;
  readonly watchers: number;
  readonly objects: number;
  readonly bytes: number;
  /** Whether each watcher has a selector of its own. */
  readonly apart: boolean;
}

async function run({ title, watchers, objects, bytes, apart }: Scenario): Promise<void> {
  const source = new MemorySource();
  const feed = new OrderedFeed({ source, bus: inProcessBus(), pollInterval: 60_000 });
  const body = Buffer.from(`{"metadata":{"name":"x"},"data":"${'x'.repeat(bytes)}"}`);
  for (let object = 0; object < objects; object++) {
    source.write(TYPE, 'put', { namespace: 'a', name: String(object).padStart(6, '0') }, body);
  }
  const cache = new TypeCache(TYPE, source, feed, { describe: () => ({ labels: {}, fields: {} }) });
  await cache.waitReady();
  const cpu = process.cpuUsage();
  let synced = 0;
  const open: Watcher[] = [];
  for (let watcher = 0; watcher < watchers; watcher++) {
    const sink = {
      write: (piece: Buffer) => {
        if (piece.toString('latin1', 0, 4) === 'end ') synced++;
        return true;
      },
      onDrain: () => undefined,
      end: () => undefined,
    };
    const request = {
      encoder: { ...encoder, bookmark: () => Buffer.from('end ') },
      sink,
      from: { at: 'any' as const },
      initialEvents: 'stream' as const,
      bookmarks: true,
      ...(apart && { selection: { key: `s${watcher}`, matches: () => true } }),
    };
    open.push(await cache.watch(request));
  }
  while (synced < watchers) await new Promise((resolve) => setImmediate(resolve));
  const { user, system } = process.cpuUsage(cpu);
  console.log(`${title}: ${((user + system) / 1000 / watchers).toFixed(2)} ms of CPU a watcher`);
  for (const watcher of open) watcher.close();
  cache.close();
  feed.close();
}

await run({ title: 'herd, 20,000 objects of 1 KiB', watchers: 1_000, objects: 20_000, bytes: 1_000, apart: false });
await run({ title: 'apart, 20,000 objects of 1 KiB', watchers: 20, objects: 20_000, bytes: 1_000, apart: true });
await run({ title: 'apart, 2,000 objects of 20 KiB', watchers: 20, objects: 2_000, bytes: 20_000, apart: true });
await run({ title: 'herd, 100 objects of 1 KiB', watchers: 5_000, objects: 100, bytes: 1_000, apart: false });
