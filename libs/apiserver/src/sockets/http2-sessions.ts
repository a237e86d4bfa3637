import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';

/** The connections of HTTP/2, which node's server keeps no account of. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  #closing = false;

  /** `idleMs`: after so long without a stream a connection is let go. */
  constructor(
    server: Http2SecureServer,
    private readonly idleMs: number,
  ) {
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
    session.once('close', () => this.#open.delete(session));
    session.on('stream', (stream) => {
      streams++;
      stream.once('close', () => streams--);
    });
    session.setTimeout(this.idleMs, () => {
      if (streams === 0) session.close();
    });
    if (this.#closing) session.close();
  }
}
