import { Duplex } from 'node:stream';
import { CANCEL } from './frames.js';

/** The connection of a stream. */
interface StreamOwner {
  /** Sends bytes on the stream. */
  send(bytes: Buffer, sent: (error?: Error | null) => void): void;
  /** Ends this side's half. */
  end(sent: (error?: Error | null) => void): void;
  /** Ends the stream out of order. */
  reset(reason: number): void;
  /** The stream takes bytes again. */
  takes(): void;
  /** Nothing more comes or goes on the stream. */
  gone(): void;
}

/** Bytes of a stream that wait to be read until the connection stops. */
const MOST_WAITING = 64 << 10;

/** A stream that a client has opened: what is written goes to the client, what the client sends is read. */
export class ServerStream extends Duplex {
  #hasEnded = false;

  constructor(
    /** Headers that it was opened with, their names in lower case. */
    readonly headers: ReadonlyMap<string, string>,
    private readonly owner: StreamOwner,
  ) {
    super({ highWaterMark: MOST_WAITING, allowHalfOpen: true, autoDestroy: true });
    // Whoever uses the stream sees its end; an error says no more.
    this.on('error', () => undefined);
  }

  /** Takes bytes of the client; false while no more should come. */
  receive(bytes: Buffer): boolean {
    return this.#hasEnded || this.destroyed || this.push(bytes);
  }

  /** The client sends no more. */
  ended(): void {
    if (this.#hasEnded || this.destroyed) return;
    this.#hasEnded = true;
    this.push(null);
  }

  override _read(): void {
    this.owner.takes();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.owner.send(bytes, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.owner.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#hasEnded || !this.writableFinished) this.owner.reset(CANCEL);
    this.owner.gone();
    done(error);
  }
}
