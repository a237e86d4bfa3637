import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LATE_MS } from './silent-connections.js';

/** A connection as node's server keeps it: with the response that is under way, until its last byte has left. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/** What node's server goes by beside what its types say. */
type Tunable = Pick<Server, 'keepAliveTimeout'> & { keepAliveTimeoutBuffer: number };

/**
 * Connections of HTTP/1.1 on which something was asked, at the end of their server. Node would close those between two requests at once:
 * also one on which a balancer has just sent the next, which it may not send again elsewhere, and one whose last answer is made and has
 * not left. Here each is told by its next answer that there will be no other, and goes when nothing has been asked on it for a while.
 */
export class KeptConnections {
  readonly #kept = new Set<Connection>();

  constructor(private readonly server: Server) {
    server.on('request', ({ httpVersionMajor, socket }: IncomingMessage) => {
      if (httpVersionMajor !== 1 || this.#kept.has(socket)) return;
      this.#kept.add(socket);
      socket.once('close', () => this.#kept.delete(socket));
    });
  }

  /** The server takes no more connections: has those that there are end, each behind what is asked on it. */
  letGo(): void {
    const { server } = this;
    server.prependListener('request', ({ httpVersionMajor }, res) => {
      if (httpVersionMajor === 1) res.shouldKeepAlive = false;
    });
    Object.assign(server as Tunable, { keepAliveTimeout: LATE_MS, keepAliveTimeoutBuffer: 0 });
    for (const socket of this.#kept) if (!socket._httpMessage) socket.setTimeout(LATE_MS);
  }
}
