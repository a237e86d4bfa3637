import type { Duplex } from 'node:stream';
import pg from 'pg';
import { freeMemory } from './free-memory.js';

/** Length of a message's header: a byte for its type, and its length, which counts itself and not that byte. */
const HEADER_BYTES = 5;
/** The longest message that a server makes (PostgreSQL, `MaxAllocSize`). */
const LONGEST = 1 << 30;
/** Shorter messages are assembled in shared memory. */
const LARGE = 16 << 10;

/** Thrown when the bytes read do not come from a PostgreSQL. */
export class NotPostgresError extends Error {
  override readonly name = 'NotPostgresError';
}

/**
 * Cuts the bytes of a server into whole messages. A message that arrives in pieces is assembled in memory of its own
 * length, and the next one in the same memory: the driver doubles a buffer until it fits, which for a row of one MB
 * takes five.
 */
export class WholeMessages {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** Memory in which the current message is assembled; undefined until its length is known. */
  #message: Buffer | undefined;
  /** Bytes of the current message that have arrived. */
  #filled = 0;
  /** Memory of an earlier message, until it is collected. */
  #memory: WeakRef<ArrayBuffer> | undefined;

  /** @param deliver is given whole messages, which are valid only until it returns */
  constructor(private readonly deliver: (messages: Buffer) => void) {}

  /** @throws NotPostgresError */
  take(chunk: Buffer): void {
    const start = this.#filled > 0 ? this.#fill(chunk, 0) : 0;
    const end = this.#endOfWhole(chunk, start);
    if (end > start) this.deliver(chunk.subarray(start, end));
    if (end < chunk.length) this.#fill(chunk, end);
  }

  /** Returns the end of the last message that is complete in the chunk. */
  #endOfWhole(chunk: Buffer, start: number): number {
    let at = start;
    while (at + HEADER_BYTES <= chunk.length) {
      const end = at + lengthOf(chunk, at);
      if (end > chunk.length) break;
      at = end;
    }
    return at;
  }

  /** Adds missing bytes to the current message, as many as there are. Returns the end of them. */
  #fill(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#message === undefined) {
      at += this.#copy(chunk, at, this.#header);
      if (this.#filled < HEADER_BYTES) return at;
      this.#message = this.#room(lengthOf(this.#header, 0));
      this.#header.copy(this.#message);
    }
    at += this.#copy(chunk, at, this.#message);
    if (this.#filled === this.#message.length) this.#finish(this.#message);
    return at;
  }

  #copy(chunk: Buffer, from: number, to: Buffer): number {
    const copied = chunk.copy(to, this.#filled, from, from + to.length - this.#filled);
    this.#filled += copied;
    return copied;
  }

  #room(length: number): Buffer {
    if (length < LARGE) return Buffer.allocUnsafe(length);
    const memory = this.#memory?.deref();
    if (memory && memory.byteLength >= length) return Buffer.from(memory, 0, length);
    const room = Buffer.allocUnsafeSlow(length);
    this.#memory = new WeakRef(room.buffer);
    return room;
  }

  #finish(message: Buffer): void {
    this.#message = undefined;
    this.#filled = 0;
    this.deliver(message);
  }
}

/** Bytes of the message that begins there, its header included. */
function lengthOf(bytes: Buffer, at: number): number {
  const length = 1 + bytes.readUInt32BE(at + 1);
  if (length < HEADER_BYTES || length > LONGEST) throw new NotPostgresError('the server does not speak as PostgreSQL');
  return length;
}

/** The driver's method that reads a stream; its declared type leaves it out. */
interface Attaching {
  attachListeners(this: pg.Connection, stream: Pick<Duplex, 'on'>): void;
}

/** The driver's side of a connection, reading by {@link WholeMessages}. */
export class WholeMessageWire extends pg.Connection {
  attachListeners(stream: Duplex): void {
    const { attachListeners } = pg.Connection.prototype as unknown as Attaching;
    attachListeners.call(this, {
      on(event: string | symbol, listener: (messages: Buffer) => void) {
        return stream.on(event, event === 'data' ? wholly(stream, listener) : listener);
      },
    } as Pick<Duplex, 'on'>);
  }
}

function wholly(stream: Duplex, listener: (messages: Buffer) => void): (chunk: Buffer) => void {
  const whole = new WholeMessages(listener);
  return (chunk) => {
    try {
      whole.take(chunk);
    } catch (error) {
      if (!(error instanceof NotPostgresError)) throw error;
      stream.destroy(error);
    }
    freeMemory(chunk);
  };
}
