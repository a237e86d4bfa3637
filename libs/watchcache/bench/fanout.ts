/*
 * What fan-out costs with sinks that cost nothing: everything but the socket. Run with
 *   npx tsx --conditions=source libs/watchcache/bench/fanout.ts
 */
import { inProcessBus, OrderedFeed } from '@orch/feed';
import { MemorySource } from '@orch/feed/testing';
import type { HistoricChange } from '@orch/storage';
import { type FrameEncoder, type Selection, TypeCache, type WatchSink } from '@orch/watchcache';

const TYPE = 1;
const BODY = Buffer.from(`{"metadata":{"name":"x"},"data":"${'x'.repeat(1000)}"}`);

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

interface CountingSink extends WatchSink {
  writes: number;
  bytes: number;
}

function countingSink(): CountingSink {
  return {
    writes: 0,
    bytes: 0,
    write(bytes) {
      this.writes++;
      this.bytes += bytes.length;
      return true;
    },
    onDrain() {},
    end() {},
  };
}

function named(name: string): Selection {
  return {
    key: `metadata.name=${name}`,
    matches: ({ fields }) => fields['metadata.name'] === name,
    equals: new Map([['field:metadata.name', name]]),
  };
}

interface Scenario {
  readonly title: string;
  readonly watchers: number;
  readonly selection: (watcher: number) => Selection | undefined;
  readonly name: (event: number) => string;
  /** Events committed at a time. */
  readonly batch: number;
  readonly events: number;
}

async function run(scenario: Scenario): Promise<void> {
  const source = new MemorySource();
  const bus = inProcessBus();
  const feed = new OrderedFeed({ source, bus, pollInterval: 60_000 });
  const describe = ({ name, namespace }: { name: string; namespace: string }) => ({
    labels: {},
    fields: { 'metadata.name': name, 'metadata.namespace': namespace },
  });
  const cache = new TypeCache(TYPE, source, feed, { describe });
  await cache.waitReady();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const sinks: CountingSink[] = [];
  for (let watcher = 0; watcher < scenario.watchers; watcher++) {
    const sink = countingSink();
    sinks.push(sink);
    const selection = scenario.selection(watcher);
    await cache.watch({
      encoder,
      sink,
      from: { at: 'any' },
      initialEvents: 'none',
      bookmarks: true,
      ...(selection === undefined ? {} : { selection }),
    });
  }
  await turn();
  globalThis.gc?.();
  const perWatcher = (process.memoryUsage().heapUsed - before) / scenario.watchers;

  const changes: HistoricChange[] = [];
  for (let event = 0; event < scenario.events; event++) {
    const change = source.write(TYPE, 'put', { namespace: 'default', name: scenario.name(event) }, BODY);
    if (change !== undefined) changes.push(change);
  }
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let at = 0; at < changes.length; at += scenario.batch) {
    bus.publish(changes.slice(at, at + scenario.batch));
    await turn();
  }
  while (cache.stats().deliveredEvents < expected(scenario)) await turn();
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const delivered = cache.stats().deliveredEvents;
  const writes = sinks.reduce((sum, sink) => sum + sink.writes, 0);
  console.log(
    [
      scenario.title,
      `${delivered} delivered in ${elapsed.toFixed(0)} ms`,
      `${((delivered / elapsed) * 1000).toFixed(0)} events/s`,
      `${((user + system) / delivered).toFixed(3)} µs CPU a delivered event`,
      `${((user + system) / changes.length).toFixed(1)} µs a change`,
      `${(delivered / writes).toFixed(1)} events a write`,
      `${perWatcher.toFixed(0)} bytes of heap a watcher`,
    ].join(' · '),
  );
  cache.close();
  feed.close();
}

function expected({ selection, watchers, events }: Scenario): number {
  return selection(0) === undefined ? watchers * events : events;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const one = { title: '1,000 watchers, one audience, one change a turn', watchers: 1000, selection: () => undefined };
await run({ ...one, name: (event) => `n${event % 100}`, batch: 1, events: 3000 });
await run({
  ...one,
  title: '1,000 watchers, one audience, 20 changes a commit',
  name: (event) => `n${event % 100}`,
  batch: 20,
  events: 10_000,
});
await run({
  title: '5,000 watchers, 5,000 audiences by name, one change a turn',
  watchers: 5000,
  selection: (watcher) => named(`n${watcher}`),
  name: (event) => `n${event % 5000}`,
  batch: 1,
  events: 20_000,
});
await list();

/** Lists of 10,000 objects, and single reads. */
async function list(): Promise<void> {
  const source = new MemorySource();
  for (let number = 0; number < 10_000; number++) {
    source.write(TYPE, 'put', { namespace: `ns-${number % 10}`, name: `object-${number}` }, BODY);
  }
  const feed = new OrderedFeed({ source, bus: inProcessBus() });
  const cache = new TypeCache(TYPE, source, feed, { describe: () => ({ labels: {}, fields: {} }) });
  await cache.waitReady();
  for (let round = 0; round < 200; round++) cache.list({});
  const start = performance.now();
  for (let round = 0; round < 200; round++) cache.list({});
  const listed = performance.now();
  for (let round = 0; round < 100_000; round++)
    cache.get({ namespace: 'ns-3', name: `object-${(round % 1000) * 10 + 3}` });
  const got = performance.now();
  console.log(
    `list of 10,000: ${((listed - start) / 200).toFixed(3)} ms · get: ${((got - listed) / 100).toFixed(2)} µs`,
  );
  cache.close();
  feed.close();
}
