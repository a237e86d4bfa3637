import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { WatchOutput } from '../watching/watch-output.js';

/**
 * A connection as the WebSocket library sees it: the library's own frames (the handshake, pongs, closing) queue behind
 * waiting events, and never come between two parts of one.
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
