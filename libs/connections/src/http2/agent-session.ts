import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@orch/runtime';
import { isGone, type RequestContext } from '@orch/serving';
import { invalidStatus, isStatus } from '../exchange.js';
import { Http2Answer } from './http2-answer.js';
import { leaveStream } from './leave-stream.js';
import { streamError, UnprocessedError } from './stream-errors.js';

const { NGHTTP2_REFUSED_STREAM } = constants;

/** Milliseconds after which a connection without requests is closed. */
const IDLE_MS = 30_000;
/** Milliseconds within which the agent must acknowledge a ping, which is sent with a request: as long as client-go waits. */
const PING_MS = 15_000;
/** Milliseconds between pings on a connection with requests: client-go's. */
const SILENT_MS = 30_000;
/** Maximum number of concurrent requests on a connection whose agent sets no limit, or a higher one: that of Go's servers. */
const MAX_STREAMS = 250;
/**
 * Receive window of the connection, bytes: those of all its streams together (64 KiB each), so that clients that do not
 * read cannot use it up.
 */
const WINDOW_BYTES = MAX_STREAMS << 16;
/** Megabytes that Node may hold for a connection, else it refuses streams: twice the windows. */
const MAX_MEMORY_MB = WINDOW_BYTES >> 19;

/** A connection to an agent over HTTP/2, shared by requests. */
export class AgentSession {
  #streams = 0;
  #isPinging = false;
  #cancelIdle = (): void => undefined;
  #cancelPing = (): void => undefined;

  private constructor(private readonly session: ClientHttp2Session) {}

  /**
   * Starts HTTP/2 on a connection; resolves with a stream reserved, once the agent has sent its settings.
   * @param limitMs milliseconds for that; 0 is no bound
   * @param onClose called when the connection takes no more requests
   * @throws Error of the connection; for an agent that accepts no requests there
   */
  static open(
    socket: TLSSocket,
    authority: string,
    limitMs: number,
    onClose: (session: AgentSession) => void,
  ): Promise<AgentSession> {
    const session = connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSessionMemory: MAX_MEMORY_MB,
    });
    // A connection without requests must not keep the process alive; with requests, their clients do.
    session.unref();
    const opened = new AgentSession(session);
    // The streams of the session get its error, too.
    session.on('error', () => undefined);
    session.once('goaway', () => onClose(opened));
    session.once('close', () => {
      opened.#cancelIdle();
      opened.#cancelPing();
      onClose(opened);
    });
    return opened.#settled(limitMs);
  }

  /** Reserves a stream for a request, which must be sent at once by {@link get}. @returns whether there was one */
  reserve(): boolean {
    const { session } = this;
    if (session.closed || session.destroyed) return false;
    const { maxConcurrentStreams = MAX_STREAMS } = session.remoteSettings;
    if (this.#streams >= Math.min(maxConcurrentStreams, MAX_STREAMS)) return false;
    this.#streams++;
    this.#cancelIdle();
    return true;
  }

  /**
   * Sends a GET on a reserved stream on behalf of a client's request, and resets the stream at once when that is over.
   * @returns the response
   * @throws UnprocessedError; Error of the connection or stream; for a client that is gone
   */
  get(ctx: RequestContext, path: string): Promise<Http2Answer> {
    const stream = this.#open(path);
    const { res } = ctx;
    const leave = () => leaveStream(stream);
    res.once('close', leave);
    stream.once('close', () => res.removeListener('close', leave));
    if (isGone(ctx)) leave();
    else this.#ping();
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(isGone(ctx) ? new Error('the client is gone') : this.#failure(stream, error));
      stream.once('response', (head) => {
        const code = Number(head[':status']);
        if (isStatus(code)) return resolve(new Http2Answer(stream, head));
        reject(invalidStatus(code));
        leave();
      });
      stream.on('error', fail);
      stream.once('close', () => fail(new Error('EOF')));
    });
  }

  /** Resolves with a stream reserved, once the agent has sent its settings. */
  #settled(limitMs: number): Promise<AgentSession> {
    const { session } = this;
    return new Promise((resolve, reject) => {
      const late = () => session.destroy(new Error(`no connection within ${limitMs} ms`));
      const inTime = limitMs === 0 ? () => undefined : systemClock.after(limitMs, late);
      session.once('remoteSettings', () => {
        inTime();
        session.setLocalWindowSize(WINDOW_BYTES);
        // Another connection would be no better.
        if (this.reserve()) resolve(this);
        else session.destroy(new Error('it accepts no requests'));
      });
      session.once('error', reject).once('close', () => {
        inTime();
        reject(new Error('EOF'));
      });
    });
  }

  #open(path: string): ClientHttp2Stream {
    try {
      const stream = this.session.request({ ':path': path }, { endStream: true });
      return stream.once('close', () => this.#release());
    } catch (error) {
      this.#release();
      throw new UnprocessedError(error as Error);
    }
  }

  #release(): void {
    this.#streams--;
    if (this.#streams === 0) this.#waitIdle();
  }

  /** Returns why a stream has ended before its response. */
  #failure(stream: ClientHttp2Stream, error: Error): Error {
    const isLost = this.session.destroyed || stream.rstCode === NGHTTP2_REFUSED_STREAM;
    const explained = streamError(stream, error);
    return isLost ? new UnprocessedError(explained) : explained;
  }

  /**
   * Detects an agent that has vanished, for new requests within seconds, and for others within a minute: Node does not tell
   * every end of a connection that takes no more requests.
   */
  #ping(): void {
    if (this.#isPinging || this.session.destroyed) return;
    const { session } = this;
    this.#isPinging = true;
    this.#cancelPing();
    this.#cancelPing = systemClock.after(PING_MS, () => session.destroy(new Error(`no answer within ${PING_MS} ms`)));
    session.ping((error: Error | null) => {
      this.#isPinging = false;
      this.#cancelPing();
      if (error) session.destroy(error);
      else if (this.#streams > 0) this.#cancelPing = systemClock.after(SILENT_MS, () => this.#ping());
    });
  }

  #waitIdle(): void {
    this.#cancelIdle();
    this.#cancelIdle = systemClock.after(IDLE_MS, () => this.session.close());
  }
}
