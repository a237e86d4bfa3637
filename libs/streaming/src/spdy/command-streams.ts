import type { Socket } from 'node:net';
import { gatherWrites } from '@orch/runtime';
import { FrameReader } from './frame-reader.js';
import { controlFrame, dataHead, FIN, openingFrame, PING } from './frames.js';

/** The streams of a command, in the order in which they are opened. */
const STREAMS = ['error', 'stdin', 'stdout', 'stderr', 'resize'] as const;
/** The name of a stream of a command. */
export type StreamName = (typeof STREAMS)[number];

/** The owner of a command's streams: takes what comes from the agent. */
export interface CommandReceiver {
  /** A piece of a stream has come. */
  data(name: StreamName, bytes: Buffer): void;
  /** The agent sends no more on any stream, or the connection is over. */
  ended(): void;
}

/** The streams that the agent sends something on. */
const FROM_AGENT: ReadonlySet<StreamName> = new Set(['error', 'stdout', 'stderr']);

/** Bytes of a frame of data; its length has 24 bits, and agents hold a frame in memory until it is whole. */
const MOST_DATA = 1 << 20;

/** The streams of a command that an agent runs, on a connection that speaks SPDY/3.1. */
export class CommandStreams {
  readonly #ids = new Map<StreamName, number>();
  readonly #names = new Map<number, StreamName>();
  /** Ids of streams on which something may still come from the agent. */
  readonly #open = new Set<number>();
  /** Ids of streams on which this side may still send. */
  readonly #sending = new Set<number>();
  readonly #gather: () => void;
  #isOver = false;

  /** Opens the streams at once, as agents run a command as soon as all are there. */
  constructor(
    private readonly socket: Socket,
    names: ReadonlySet<StreamName>,
    private readonly receiver: CommandReceiver,
  ) {
    this.#gather = gatherWrites(socket);
    for (const name of STREAMS) if (names.has(name)) this.#openStream(name);
    const frames = new FrameReader({
      data: (id, bytes) => this.#data(id, bytes),
      ended: (id) => this.#ended(id),
      ping: (payload) => this.#answer(payload),
    });
    socket.on('data', (bytes: Buffer) => frames.take(bytes));
    socket.once('end', () => this.#over()).once('close', () => this.#over());
  }

  /** Sends bytes on a stream, to nobody where it is not open; false while the agent does not take them. */
  send(name: StreamName, bytes: Buffer): boolean {
    const id = this.#ids.get(name);
    if (id === undefined || !this.#sending.has(id)) return true;
    this.#gather();
    let takesMore = true;
    for (let at = 0; at < bytes.length; at += MOST_DATA) {
      const piece = bytes.subarray(at, at + MOST_DATA);
      this.socket.write(dataHead(id, 0, piece.length));
      takesMore = this.socket.write(piece);
    }
    return takesMore;
  }

  /** Ends this side's half of a stream. */
  end(name: StreamName): void {
    const id = this.#ids.get(name);
    if (id === undefined || !this.#sending.delete(id)) return;
    this.#gather();
    this.socket.write(dataHead(id, FIN, 0));
  }

  #openStream(name: StreamName): void {
    // Those that a client opens have odd numbers.
    const id = 2 * this.#ids.size + 1;
    this.#gather();
    this.socket.write(openingFrame(id, { streamtype: name }, this.#ids.size === 0));
    this.#ids.set(name, id);
    this.#names.set(id, name);
    if (FROM_AGENT.has(name)) this.#open.add(id);
    else this.#sending.add(id);
  }

  #data(id: number, bytes: Buffer): void {
    const name = this.#names.get(id);
    if (name !== undefined && this.#open.has(id)) this.receiver.data(name, bytes);
  }

  #ended(id: number): void {
    if (this.#open.delete(id) && this.#open.size === 0) this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.receiver.ended();
  }

  /** Pings of the other side have even numbers; odd ones would answer pings of this side, which sends none. */
  #answer(payload: Buffer): void {
    if (((payload[3] ?? 0) & 1) === 1 || this.socket.writableNeedDrain) return;
    this.#gather();
    this.socket.write(controlFrame(PING, 0, payload));
  }
}
