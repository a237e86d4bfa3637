import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';

/** How long a client may take to close a connection that was let go. */
const LINGER_MS = 30_000;

/** The connections of HTTP/2, which node's server keeps no account of. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  #closing = false;

  /** `idleMs`: after so long without a stream a connection is let go, whatever else comes over it. */
  constructor(
    server: Http2SecureServer,
    private readonly idleMs: number,
  ) {
    server.on('secureConnection', endsWhenLetGo);
    server.on('session', (session) => this.#add(session));
  }

  /** Says on every connection that no further streams are taken; each closes when its last one has ended. */
  close(): void {
    this.#closing = true;
    for (const session of this.#open) session.close();
  }

  #add(session: ServerHttp2Session): void {
    let streams = 0;
    this.#open.add(session);
    const idle = setTimeout(() => {
      if (streams === 0) session.close();
    }, this.idleMs);
    session.once('close', () => {
      clearTimeout(idle);
      this.#open.delete(session);
    });
    session.on('stream', (stream) => {
      streams++;
      stream.once('close', () => {
        streams--;
        if (streams === 0 && !session.destroyed) idle.refresh();
      });
    });
    if (this.#closing) session.close();
  }
}

/** Node waits for the client to close as well, which need never happen. */
function endsWhenLetGo(socket: TLSSocket): void {
  socket.once('finish', () => {
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  });
}
