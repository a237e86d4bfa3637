import type { Socket } from 'node:net';
import type { Connection, ReadingTurns } from '@orch/flowcontrol';
import type { Stage } from '../chain/chain.js';
import { http2StreamOf } from '../http/context.js';

/** A connection of HTTP/1.1 with requests on it. */
class RequestConnection implements Connection {
  /** Requests that are not answered yet: a client may send several at once. */
  open = 0;

  constructor(readonly socket: Socket) {}

  pause(): void {
    if (!this.socket.destroyed) this.socket.pause();
  }

  resume(): void {
    if (!this.socket.destroyed) this.socket.resume();
  }
}

/**
 * Has connections wait before they are read from again, by the flows of what was asked on them. Nothing is told of requests that are
 * exempt, nor of those that go on with another protocol: they are read from as they come. The streams of a connection of HTTP/2 are
 * not told apart before they have been read.
 */
export function readInTurn(turns: ReadingTurns): Stage {
  const connections = new WeakMap<Socket, RequestConnection>();
  const connectionOf = (socket: Socket): RequestConnection => {
    const known = connections.get(socket);
    if (known) return known;
    const made = new RequestConnection(socket);
    connections.set(socket, made);
    socket.once('close', () => turns.leave(made));
    return made;
  };
  return (ctx) => {
    if (http2StreamOf(ctx)) return;
    const connection = connectionOf(ctx.req.socket);
    turns.leave(connection);
    if (ctx.upgrade) return;
    connection.open++;
    ctx.res.once('close', () => {
      connection.open--;
      if (connection.open === 0 && ctx.flow !== undefined && !connection.socket.destroyed)
        turns.answered(connection, ctx.flow);
    });
  };
}
