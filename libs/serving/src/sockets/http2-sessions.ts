import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';

/** Last stream of each connection that accepts no more, as announced to its client (GOAWAY). */
const lastStreams = new WeakMap<ServerHttp2Session, number>();

/** Takes no more streams on a connection (GOAWAY); it closes when those that there are have ended. */
export function letGo(session: ServerHttp2Session): void {
  if (session.closed || session.destroyed) return;
  lastStreams.set(session, session.state.lastProcStreamID ?? 0);
  session.close();
}

/**
 * Whether a stream came behind the last one that was announced to its client, before the GOAWAY had left: the client
 * sends its request again elsewhere, and it must not be executed twice.
 */
export function isTooLate({ session, id = 0 }: ServerHttp2Stream): boolean {
  const last = session && lastStreams.get(session as ServerHttp2Session);
  return last !== undefined && id > last;
}

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
    for (const session of this.#open) letGo(session);
  }

  #add(session: ServerHttp2Session): void {
    let streams = 0;
    this.#open.add(session);
    const idle = setTimeout(() => {
      if (streams === 0) letGo(session);
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
    if (this.#closing) letGo(session);
  }
}

/** Node waits for the client to close as well, which need never happen. */
function endsWhenLetGo(socket: TLSSocket): void {
  socket.once('finish', () => {
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  });
}
