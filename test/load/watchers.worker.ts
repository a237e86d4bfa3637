import { ChunkReader, type Endpoint, openSocket, requestBytes } from './connection.js';
import { type Latency, latencyOf, now } from './summary.js';
import { serve } from './worker.js';

export interface WatchLoad {
  readonly endpoint: Endpoint;
  /** Path and query of the watch. */
  readonly path: string;
  readonly watchers: number;
  /** Watches that are being opened at a time; 50 when absent. */
  readonly atOnce?: number;
  /**
   * `bytes` counts bytes and nothing else, for the highest rates; `events` counts events on every stream;
   * `latency` also reads when each event was sent.
   */
  readonly count: 'bytes' | 'events' | 'latency';
}

export interface WatchReading {
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
  readonly latency: Latency;
}

const SENT = Buffer.from('"sent":"');

class Stream {
  bytes = 0;
  events = 0;
  ended = false;
  readonly #chunks = new ChunkReader((data) => this.#count(data));

  read(data: Buffer): void {
    this.#chunks.push(data);
  }

  /** Every event ends with a line feed, and no JSON text in one line holds another. */
  #count(data: Buffer): void {
    for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) this.events++;
  }
}

const streams: Stream[] = [];
const closers: (() => void)[] = [];
let latencies: number[] = [];
let counting: WatchLoad['count'] = 'bytes';
let last = 0;

/** Opens the watches and resolves when all have answered 200. */
async function open(load: WatchLoad): Promise<void> {
  counting = load.count;
  const request = requestBytes(load.endpoint, 'GET', load.path);
  const { watchers, atOnce = 50 } = load;
  for (let opened = 0; opened < watchers; opened += atOnce) {
    const some = Math.min(atOnce, watchers - opened);
    await Promise.all(Array.from({ length: some }, () => openOne(load.endpoint, request)));
  }
}

async function openOne(endpoint: Endpoint, request: Buffer): Promise<void> {
  const socket = await openSocket(endpoint);
  const stream = new Stream();
  const counted = streams.length === 0;
  streams.push(stream);
  closers.push(() => socket.destroy());
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const receive = (data: Buffer) => {
      last = now();
      stream.bytes += data.length;
      if (counting !== 'bytes' || counted) stream.read(data);
      if (counting === 'latency') readLatencies(data);
    };
    const readHead = (data: Buffer) => {
      head = Buffer.concat([head, data]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!head.toString('latin1', 9, 12).startsWith('200')) return reject(new Error(head.toString()));
      socket.off('data', readHead);
      socket.on('data', receive);
      if (head.length > end + 4) receive(head.subarray(end + 4));
      resolve();
    };
    socket.on('data', readHead);
    socket.on('error', () => {
      stream.ended = true;
    });
    socket.on('close', () => {
      stream.ended = true;
    });
    socket.write(request);
  });
}

function readLatencies(data: Buffer): void {
  for (let at = data.indexOf(SENT); at >= 0; at = data.indexOf(SENT, at + SENT.length)) {
    const start = at + SENT.length;
    const end = data.indexOf(34, start);
    if (end > 0) latencies.push(last - Number(data.toString('latin1', start, end)));
  }
}

function reset(): void {
  for (const stream of streams) {
    stream.bytes = 0;
    stream.events = 0;
  }
  latencies = [];
}

function read(): WatchReading {
  const bytes = streams.reduce((sum, stream) => sum + stream.bytes, 0);
  const [first] = streams;
  const inferred = first && first.bytes > 0 ? Math.round((bytes * first.events) / first.bytes) : 0;
  return {
    bytes,
    events: counting === 'bytes' ? inferred : streams.reduce((sum, stream) => sum + stream.events, 0),
    fewest:
      counting === 'bytes'
        ? 0
        : streams.reduce((least, { events }) => Math.min(least, events), Number.POSITIVE_INFINITY),
    ended: streams.filter((stream) => stream.ended).length,
    last,
    latency: latencyOf(latencies),
  };
}

function close(): void {
  for (const end of closers.splice(0)) end();
  streams.length = 0;
}

const methods = { open, reset, read, close };
export type WatchMethods = typeof methods;
serve(methods);
