import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { WatchOutput } from '../watching/watch-output.js';

/**
 * A connection as the library for WebSockets sees it: what that says by itself (the handshake, pongs, closing) takes its
 * turn behind the events that wait, and never comes between two parts of one.
 */
export class WebSocketConnection extends Duplex {
  constructor(
    private readonly socket: Socket,
    private readonly output: WatchOutput,
  ) {
    super();
    socket.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.output.write(bytes);
    done();
  }

  override _final(done: () => void): void {
    this.output.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
