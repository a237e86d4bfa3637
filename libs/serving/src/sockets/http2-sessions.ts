import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';

/** Last stream of each connection that accepts no more, as announced to its client (GOAWAY). */
const lastStreams = new WeakMap<ServerHttp2Session, number>();

/** Ends the acceptance of streams on a connection (GOAWAY); it closes when the open ones have ended. */
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

/** Time for a client to close a connection that has sent GOAWAY. */
const LINGER_MS = 30_000;

/** Tracks the HTTP/2 connections of a server, which Node does not. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();
  #closing = false;

  /** `idleMs`: after this time without a stream a connection gets a GOAWAY, whatever else it transfers. */
  constructor(
    server: Http2SecureServer,
    private readonly idleMs: number,
  ) {
    server.on('secureConnection', endsWhenLetGo);
    server.on('session', (session) => this.#add(session));
  }

  /** Sends GOAWAY on every connection; each closes when its last stream has ended. */
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

/** Node waits for the client to close as well, which may never happen. */
function endsWhenLetGo(socket: TLSSocket): void {
  socket.once('finish', () => {
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(limit));
  });
}
