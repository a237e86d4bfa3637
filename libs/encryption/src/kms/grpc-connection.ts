import { type ClientHttp2Session, connect } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { GrpcError } from './grpc-status.js';

/** Milliseconds between attempts to connect, within a call's timeout. */
const RECONNECT_MS = 100;

/** A connection to a local socket: made on demand, and again when it has ended. */
export class GrpcConnection {
  readonly #closing = new AbortController();
  /** All connections that are open or being opened: one that is closing still carries calls in progress. */
  readonly #sessions = new Map<ClientHttp2Session, Socket>();
  #current: ClientHttp2Session | undefined;
  #connecting: Promise<ClientHttp2Session | Error> | undefined;

  /** @param path of a Unix socket; `@name` for an abstract one */
  constructor(private readonly path: string) {}

  /**
   * Returns the connection, once it is open. Connecting is retried until the deadline, shared by all callers.
   * @param deadline monotonic ms
   * @throws GrpcError `Unavailable`; `Canceled` once it is closed
   */
  async session(deadline: number): Promise<ClientHttp2Session> {
    for (;;) {
      if (this.#current && isOpen(this.#current)) return this.#current;
      const { signal } = this.#closing;
      if (signal.aborted) throw new GrpcError('Canceled', 'the connection is closed');
      this.#connecting ??= this.#connect(deadline)
        .catch((error: Error) => error)
        .finally(() => {
          this.#connecting = undefined;
        });
      const outcome = await inTime(this.#connecting, deadline);
      if (!(outcome instanceof Error) && isOpen(outcome)) return outcome;
      if (signal.aborted) continue;
      const cause = outcome instanceof Error ? outcome : new Error('the connection was closed');
      if (performance.now() + RECONNECT_MS >= deadline) throw new GrpcError('Unavailable', cause.message, { cause });
      await pause(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Makes no more calls over a connection; those in progress continue. */
  leave(session: ClientHttp2Session): void {
    if (this.#current === session) this.#current = undefined;
    if (isOpen(session)) session.close();
  }

  /** Closes open connections and those being opened; calls in progress fail. */
  close(): void {
    this.#closing.abort();
    for (const [session, socket] of this.#sessions) {
      session.destroy();
      socket.destroy();
    }
  }

  /** @param deadline of the first caller */
  #connect(deadline: number): Promise<ClientHttp2Session | Error> {
    const { path } = this;
    const socketPath = path.startsWith('@') ? `\0${path.slice(1)}` : path;
    return new Promise((resolve) => {
      const socket = createConnection(socketPath);
      const session = connect('http://localhost', { createConnection: () => socket });
      this.#sessions.set(session, socket);
      // A session that has ended cleanly has all its answers; the other side need not close its half.
      socket.once('finish', () => socket.destroy());
      const failed = (error: Error): void => {
        clearTimeout(timer);
        session.destroy();
        resolve(error);
      };
      const timer = setTimeout(() => failed(new Error(LATE)), msUntil(deadline));
      // Later errors are reported to the calls in flight.
      session.on('error', failed);
      session.on('close', () => {
        this.#sessions.delete(session);
        failed(new Error('the connection was closed before it was used'));
      });
      // Wait for the other side's settings: the listener need not speak HTTP/2.
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        if (!isOpen(session)) return;
        session.unref();
        this.#current = session;
        resolve(session);
      });
    });
  }
}

const LATE = 'no connection in time';

const isOpen = (session: ClientHttp2Session): boolean => !session.closed && !session.destroyed;

/** Returns the delay for a timer. @param deadline monotonic ms */
export const msUntil = (deadline: number): number => Math.max(1, deadline - performance.now());

/** Resolves with an error after the deadline. */
function inTime<T>(coming: Promise<T>, deadline: number): Promise<T | Error> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(new Error(LATE)), msUntil(deadline));
    void coming.then((outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    });
  });
}
