import type { Endpoint } from './connection.js';
import { EventCounter, recordAges } from './event-counter.js';
import { type Counts, Histogram } from './histogram.js';
import { now } from './summary.js';
import { type Close, openHttp1Watch, openHttp2Watches, type WatchSink } from './watch-connections.js';
import { serve } from './worker.js';

/**
 * `bytes` counts bytes and nothing else, for the highest rates; `events` counts events on every stream; `latency` also
 * reads when events were sent, on up to 100 streams, evenly spread: reading all takes a third more of the CPU that servers need too.
 */
export type Counting = 'bytes' | 'events' | 'latency';

export interface WatchLoad {
  readonly endpoint: Endpoint;
  /** Paths and queries of the watches; watcher n takes the n-th, round and round. */
  readonly paths: readonly string[];
  readonly watchers: number;
  /** Watches that are being opened at a time; 50 when absent. */
  readonly atOnce?: number;
  /** Address that connections come from; the system's choice when absent. */
  readonly localAddress?: string;
  /** Number of watches that share an HTTP/2 connection; HTTP/1.1 with a connection each if absent. */
  readonly streamsPerConnection?: number;
  /** How what comes from the start on is counted; `bytes` when absent. */
  readonly count?: Counting;
}

export interface WorkerReading {
  /** Bytes of all bodies since the last reset, framing included. */
  readonly bytes: number;
  /** Events of all streams; under `bytes` inferred from the mean size of those of the first stream. */
  readonly events: number;
  /** Fewest events that any one stream got; only when events are counted. */
  readonly fewest: number;
  /** Streams that the server has ended. */
  readonly ended: number;
  /** Time of the last byte, in milliseconds of the machine's clock. */
  readonly last: number;
  /** Ages of events on arrival. */
  readonly ages: Counts;
  /** CPU time of this process since the last reset, in microseconds. */
  readonly cpuMicroseconds: number;
}

const LATENCY_STREAMS = 100;

const streams: EventCounter[] = [];
const closers: Close[] = [];
const ages = new Histogram();
let counting: Counting = 'bytes';
let last = 0;
let cpu = process.cpuUsage();

/** Opens the watches and resolves when all have been answered with 200. */
async function open(load: WatchLoad): Promise<void> {
  const { watchers, streamsPerConnection, count = 'bytes', atOnce = 50 } = load;
  counting = count;
  const each = streamsPerConnection ?? 1;
  const connections = Math.ceil(watchers / each);
  for (let opened = 0; opened < connections; opened += atOnce) {
    const some = Math.min(atOnce, connections - opened);
    await Promise.all(Array.from({ length: some }, (_, index) => openConnection(load, (opened + index) * each)));
  }
}

async function openConnection(load: WatchLoad, first: number): Promise<void> {
  const { endpoint, paths, watchers, localAddress, streamsPerConnection } = load;
  const watch = (number: number) => ({ path: paths[number % paths.length] ?? '', sink: sinkOf(number, load) });
  if (streamsPerConnection === undefined) {
    const { path, sink } = watch(first);
    closers.push(await openHttp1Watch(endpoint, path, sink, localAddress));
    return;
  }
  const count = Math.min(streamsPerConnection, watchers - first);
  closers.push(
    await openHttp2Watches(
      endpoint,
      Array.from({ length: count }, (_, index) => watch(first + index)),
    ),
  );
}

function sinkOf(number: number, { watchers, streamsPerConnection }: WatchLoad): WatchSink {
  const stream = new EventCounter(streamsPerConnection === undefined);
  const counted = streams.length === 0;
  const timed = number % Math.ceil(watchers / LATENCY_STREAMS) === 0;
  streams.push(stream);
  return {
    data: (bytes) => {
      last = now();
      stream.bytes += bytes.length;
      if (counting !== 'bytes' || counted) stream.countEvents(bytes);
      if (counting === 'latency' && timed) recordAges(bytes, last, ages);
    },
    ended: () => {
      stream.ended = true;
    },
  };
}

/** Counts from nothing; to be called while nothing comes. */
function reset(count: Counting): void {
  counting = count;
  for (const stream of streams) {
    stream.bytes = 0;
    stream.events = 0;
  }
  ages.clear();
  last = now();
  cpu = process.cpuUsage();
}

function read(): WorkerReading {
  const bytes = streams.reduce((sum, stream) => sum + stream.bytes, 0);
  const [first] = streams;
  const inferred = first && first.bytes > 0 ? Math.round((bytes * first.events) / first.bytes) : 0;
  const inferring = counting === 'bytes';
  const { user, system } = process.cpuUsage(cpu);
  return {
    bytes,
    events: inferring ? inferred : streams.reduce((sum, { events }) => sum + events, 0),
    fewest: inferring ? 0 : streams.reduce((least, { events }) => Math.min(least, events), Number.POSITIVE_INFINITY),
    ended: streams.filter(({ ended }) => ended).length,
    last,
    ages: ages.counts(),
    cpuMicroseconds: user + system,
  };
}

function close(): void {
  for (const end of closers.splice(0)) end();
  streams.length = 0;
}

const methods = { open, reset, read, close };
export type WatchMethods = typeof methods;
serve(methods);
