import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@orch/runtime';
import { FrameReader } from './frame-reader.js';
import { controlFrame, dataHead, FIN, PING, REFUSED_STREAM, replyFrame, resetFrame } from './frames.js';
import { HeaderReader } from './header-reader.js';
import { ServerStream } from './server-stream.js';

/** Settings of a {@link ServerSession}. */
interface ServerSessionSettings {
  /** Connection behind the answer to the upgrade. */
  readonly socket: Duplex;
  /** Bytes that came with the request. */
  readonly head: Buffer;
  /** Milliseconds without data or a new stream after which the connection is closed; 0 is no bound. */
  readonly idleMs: number;
  /** Called for each stream that the client opens. */
  readonly onStream: (stream: ServerStream) => void;
}

/** Bytes of a frame that opens a stream, at most. */
const MAX_OPENING = 16 << 10;
/** Streams that are open on a connection, at most. */
const MAX_STREAMS = 1024;
/** Bytes in front of the headers in a frame that opens a stream: its id, that of another, priority and slot. */
const IDS = 10;
/** Bytes of a frame of data, at most: other sides hold one in memory until it is whole. */
const MOST_DATA = 64 << 10;
/** Milliseconds for a client to read what is left behind the end. */
const LINGER_MS = 10_000;

/**
 * The server's side of a connection that speaks SPDY/3.1. That has no flow control: while one of its streams is not read,
 * nothing of the connection is.
 */
export class ServerSession {
  readonly #streams = new Map<number, ServerStream>();
  readonly #full = new Set<ServerStream>();
  readonly #headers = new HeaderReader();
  readonly #frames: FrameReader;
  #lastId = 0;
  #isOpening = false;
  #rest: Buffer = Buffer.alloc(0);
  #hasReplied = false;
  #isClosed = false;
  #cancelIdle: () => void = () => undefined;
  #usedAt: number;

  /** @param clock of the time without data */
  constructor(
    private readonly settings: ServerSessionSettings,
    private readonly clock: Pick<Clock, 'after' | 'now'> = systemClock,
  ) {
    const { socket, head } = settings;
    this.#usedAt = clock.now();
    this.#watchIdleness();
    const frames = {
      data: (id: number, bytes: Buffer) => this.#data(id, bytes),
      ended: (id: number) => this.#streams.get(id)?.ended(),
      ping: (payload: Buffer) => this.#answer(payload),
      opening: (payload: Buffer, isLast: boolean) => this.#opening(payload, isLast),
      overlong: () => this.close(),
    };
    this.#frames = new FrameReader(frames, MAX_OPENING);
    socket.on('error', () => this.close());
    socket.once('close', () => this.close()).once('end', () => this.close());
    if (head.length > 0) socket.unshift(head);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
  }

  /** Ends the connection behind what was written, if its client reads that in time. */
  end(): void {
    const { socket } = this.settings;
    if (this.#isClosed) return;
    socket.once(
      'close',
      this.clock.after(LINGER_MS, () => socket.destroy()),
    );
    socket.end();
  }

  /** Closes the connection and all streams. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelIdle();
    this.#headers.close();
    this.#full.clear();
    this.settings.socket.destroy();
    for (const stream of [...this.#streams.values()]) stream.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#isClosed) return;
    const taken = this.#frames.take(bytes);
    if (taken < bytes.length) this.#rest = bytes.subarray(taken);
  }

  /** Reads the headers of a stream; what comes behind them waits, as it may belong to it. */
  #opening(payload: Buffer, isLast: boolean): void {
    const id = payload.length < IDS ? 0 : payload.readUInt32BE() & 0x7fffffff;
    // Clients' numbers are odd and grow. Without the headers of one stream those of the next cannot be read.
    if ((id & 1) === 0 || id <= this.#lastId) {
      this.close();
      return;
    }
    this.#lastId = id;
    this.#isOpening = true;
    this.#frames.stop();
    this.settings.socket.pause();
    this.#headers.read(payload.subarray(IDS)).then(
      (headers) => this.#opened(id, headers, isLast),
      () => this.close(),
    );
  }

  /** Bytes behind a stream wait also while the client does not read: each stream has answers, which would pile up. */
  #opened(id: number, headers: ReadonlyMap<string, string>, isLast: boolean): void {
    if (this.#isClosed) return;
    this.#accept(id, headers, isLast);
    const { socket } = this.settings;
    if (socket.writableNeedDrain) socket.once('drain', () => this.#goOn());
    else this.#goOn();
  }

  /** Takes what has come behind a stream. */
  #goOn(): void {
    this.#isOpening = false;
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    this.#take(rest);
    this.#resume();
  }

  #accept(id: number, headers: ReadonlyMap<string, string>, isLast: boolean): void {
    this.#usedAt = this.clock.now();
    if (this.#streams.size >= MAX_STREAMS) {
      this.#write(resetFrame(id, REFUSED_STREAM));
      return;
    }
    const stream: ServerStream = new ServerStream(headers, {
      send: (bytes, sent) => this.#send(id, bytes, sent),
      end: (sent) => this.#write(dataHead(id, FIN, 0), sent),
      reset: (reason) => this.#write(resetFrame(id, reason)),
      takes: () => this.#takes(stream),
      gone: () => {
        this.#streams.delete(id);
        this.#takes(stream);
      },
    });
    this.#streams.set(id, stream);
    this.#write(replyFrame(id, !this.#hasReplied));
    this.#hasReplied = true;
    if (isLast) stream.ended();
    this.settings.onStream(stream);
  }

  #data(id: number, bytes: Buffer): void {
    this.#usedAt = this.clock.now();
    const stream = this.#streams.get(id);
    if (!stream || stream.receive(bytes)) return;
    this.#full.add(stream);
    this.settings.socket.pause();
  }

  #takes(stream: ServerStream): void {
    if (this.#full.delete(stream)) this.#resume();
  }

  #resume(): void {
    if (!this.#isOpening && this.#full.size === 0 && !this.#isClosed) this.settings.socket.resume();
  }

  #send(id: number, bytes: Buffer, sent: Sent): void {
    this.#usedAt = this.clock.now();
    const { socket } = this.settings;
    socket.cork();
    for (let at = 0; at < bytes.length; at += MOST_DATA) {
      const piece = bytes.subarray(at, at + MOST_DATA);
      this.#write(dataHead(id, 0, piece.length));
      this.#write(piece, at + MOST_DATA < bytes.length ? undefined : sent);
    }
    socket.uncork();
    if (bytes.length === 0) sent();
  }

  #write(bytes: Buffer, sent?: Sent): void {
    if (this.settings.socket.writable) this.settings.socket.write(bytes, sent);
    else sent?.(new Error('the connection is closed'));
  }

  /** Pings of clients have odd numbers; of those that come while the client does not read, none is answered. */
  #answer(payload: Buffer): void {
    if (((payload[3] ?? 0) & 1) === 1 && !this.settings.socket.writableNeedDrain)
      this.#write(controlFrame(PING, 0, payload));
  }

  #watchIdleness(): void {
    const { idleMs } = this.settings;
    if (idleMs === 0) return;
    const left = this.#usedAt + idleMs - this.clock.now();
    if (left <= 0) this.close();
    else this.#cancelIdle = this.clock.after(left, () => this.#watchIdleness());
  }
}

type Sent = (error?: Error | null) => void;
