import { DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { TypeId } from '@orch/storage';
import type { AnnouncedChange, ChangeBus } from './feed.js';
import { groupByType } from './group-by-type.js';
import { decodeBatch, encodeBatches } from './record.js';

export interface JetStreamBusOptions {
  /** `host:port` or `nats://host:port`, tried in turn. */
  readonly servers: readonly string[];
  /** Files in PEM form; TLS is used when set. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** First token of the subjects, `<prefix>.changes.<type>`. */
  readonly subjectPrefix: string;
  /** Stream that holds the subjects; created if absent. */
  readonly streamName: string;
  /** Where a stream that is created keeps its messages. Default memory: nothing rests on it. */
  readonly streamStorage?: 'memory' | 'file';
  /** Minutes that a stream that is created keeps a message. Default 5. */
  readonly streamMaxAge?: number;
  /** Bytes that a stream that is created keeps. Default 256 MiB. */
  readonly streamMaxBytes?: number;
  /** Bytes published that the server has not yet taken; announcements beyond are dropped. Default 32 MiB. */
  readonly maxUnsentBytes?: number;
  /** Milliseconds between attempts to connect. Default 500. */
  readonly reconnectWait?: number;
  /** Hears of failures to connect, publish, or read a message. The bus goes on by itself. */
  readonly onError?: (error: unknown) => void;
  /** Hears of announcements dropped for want of a connection or of room. */
  readonly onDropped?: (changes: number) => void;
  /** Hears how long (ms) the oldest announcement of a round trip took until the server had it. */
  readonly onTaken?: (ms: number) => void;
  /** Reads the trace that a message belongs to from its headers. Default false: it costs a little for each message. */
  readonly readTraces?: boolean;
}

/** Header of the trace that a message belongs to (W3C Trace Context). */
const TRACE_HEADER = 'traceparent';

const MINUTE_NANOSECONDS = 60_000_000_000;
/** Room that a message's headers take of the server's largest payload. */
const HEADER_RESERVE = 256;

/**
 * Announces changes on NATS JetStream: one message a commit and type, with a message id, so that a repeat within the
 * stream's window is dropped by the server. Listening is by plain subscription, the cheapest way: what it misses while
 * disconnected, followers read from the database. Connects in the background and for ever.
 */
export function jetStreamBus(options: JetStreamBusOptions): ChangeBus {
  return new JetStreamBus(options);
}

interface Subscribed {
  readonly listeners: Set<(changes: readonly AnnouncedChange[]) => void>;
  stop: () => void;
}

class JetStreamBus implements ChangeBus {
  readonly #options: JetStreamBusOptions;
  readonly #subscribed = new Map<TypeId, Subscribed>();
  readonly #connectedListeners = new Set<() => void>();
  readonly #maxUnsent: number;
  #stopPause = (): void => {};
  readonly #run: Promise<void>;
  #connection: NatsConnection | undefined;
  #connected = false;
  #closed = false;
  #unsent = 0;
  #flushing = false;
  /** Monotonic ms of the oldest announcement that no round trip has begun for. */
  #unsentSince: number | undefined;

  constructor(options: JetStreamBusOptions) {
    this.#options = options;
    this.#maxUnsent = options.maxUnsentBytes ?? 32 << 20;
    this.#run = this.#stayConnected();
  }

  publish(changes: readonly AnnouncedChange[]): void {
    const connection = this.#connection;
    if (connection === undefined || !this.#connected || this.#unsent > this.#maxUnsent) {
      this.#options.onDropped?.(changes.length);
      return;
    }
    try {
      const limit = (connection.info?.max_payload ?? 1 << 20) - HEADER_RESERVE;
      const trace = changes[0]?.trace;
      this.#unsentSince ??= performance.now();
      for (const [type, ofType] of groupByType(changes)) {
        for (const { payload, last } of encodeBatches(ofType, limit)) {
          const messageHeaders = headers();
          messageHeaders.set('Nats-Msg-Id', `${type}.${last.version}`);
          if (trace !== undefined) messageHeaders.set(TRACE_HEADER, trace);
          connection.publish(this.#subject(type), payload, { headers: messageHeaders });
          this.#unsent += payload.length;
        }
      }
      if (!this.#flushing) void this.#flush(connection);
    } catch (error) {
      this.#failed(error);
      this.#options.onDropped?.(changes.length);
    }
  }

  subscribe(type: TypeId, listener: (changes: readonly AnnouncedChange[]) => void): () => void {
    let subscribed = this.#subscribed.get(type);
    if (subscribed === undefined) {
      subscribed = { listeners: new Set(), stop: () => {} };
      this.#subscribed.set(type, subscribed);
      if (this.#connection !== undefined) this.#listen(this.#connection, type, subscribed);
    }
    const { listeners } = subscribed;
    listeners.add(listener);
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.#subscribed.get(type)?.stop();
      this.#subscribed.delete(type);
    };
  }

  onConnected(listener: () => void): () => void {
    this.#connectedListeners.add(listener);
    return () => this.#connectedListeners.delete(listener);
  }

  healthy(): boolean {
    return this.#connected;
  }

  async close(): Promise<void> {
    if (this.#closed) return this.#run;
    this.#closed = true;
    this.#connected = false;
    this.#subscribed.clear();
    this.#connectedListeners.clear();
    this.#stopPause();
    await this.#connection?.close().catch((error: unknown) => this.#failed(error));
    await this.#run;
  }

  #subject(type: TypeId): string {
    return `${this.#options.subjectPrefix}.changes.${type}`;
  }

  /** Ends when the bus is closed. The client reconnects by itself; a connection that it gives up is made anew here. */
  async #stayConnected(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#useConnection(await connect(this.#connectionOptions()));
      } catch (error) {
        this.#failed(error);
      }
      this.#connected = false;
      this.#connection = undefined;
      if (!this.#closed) await this.#pause();
    }
  }

  async #useConnection(connection: NatsConnection): Promise<void> {
    if (this.#closed) return connection.close();
    this.#connection = connection;
    for (const [type, subscribed] of this.#subscribed) this.#listen(connection, type, subscribed);
    this.#announceConnected(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection') this.#connected = false;
      else if (status.type === 'reconnect') this.#announceConnected(connection);
      else if (status.type === 'error') this.#failed(status.error);
      else if (status.type === 'close') break;
    }
    const error = await connection.closed();
    if (error !== undefined) this.#failed(error);
  }

  #announceConnected(connection: NatsConnection): void {
    this.#connected = true;
    this.#unsent = 0;
    void this.#ensureStream(connection);
    for (const listener of [...this.#connectedListeners]) listener();
  }

  /** Without the stream the announcements still reach whoever listens: a failure here is worth a line in the log. */
  async #ensureStream(connection: NatsConnection): Promise<void> {
    const { streamName, subjectPrefix, streamStorage = 'memory', streamMaxAge = 5 } = this.#options;
    try {
      const manager = await jetstreamManager(connection);
      const names: string[] = [];
      for await (const name of manager.streams.names(`${subjectPrefix}.changes.*`)) names.push(name);
      if (names.length > 0) return;
      await manager.streams.add({
        name: streamName,
        subjects: [`${subjectPrefix}.changes.*`],
        storage: streamStorage === 'memory' ? StorageType.Memory : StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        max_age: streamMaxAge * MINUTE_NANOSECONDS,
        max_bytes: this.#options.streamMaxBytes ?? 256 << 20,
      });
    } catch (error) {
      this.#failed(error);
    }
  }

  #listen(connection: NatsConnection, type: TypeId, subscribed: Subscribed): void {
    try {
      const subscription = connection.subscribe(this.#subject(type), {
        callback: (error, message) => {
          if (error !== null) return this.#failed(error);
          const trace = this.#options.readTraces === true ? message.headers?.get(TRACE_HEADER) : undefined;
          this.#deliver(message.data, subscribed.listeners, trace);
        },
      });
      subscribed.stop = () => {
        if (!subscription.isClosed()) subscription.unsubscribe();
      };
    } catch (error) {
      this.#failed(error);
    }
  }

  #deliver(
    payload: Uint8Array,
    listeners: ReadonlySet<(changes: readonly AnnouncedChange[]) => void>,
    trace: string | undefined,
  ): void {
    try {
      const decoded = decodeBatch(payload);
      const changes = trace ? traced(decoded, trace) : decoded;
      for (const listener of listeners) listener(changes);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** What a round trip has seen off is sent: at most one is under way, which bounds its cost under load. */
  async #flush(connection: NatsConnection): Promise<void> {
    this.#flushing = true;
    try {
      while (this.#unsent > 0 && this.#connected) {
        const sent = this.#unsent;
        const since = this.#unsentSince ?? performance.now();
        this.#unsentSince = undefined;
        await connection.flush();
        this.#options.onTaken?.(performance.now() - since);
        this.#unsent = Math.max(0, this.#unsent - sent);
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#flushing = false;
    }
  }

  #connectionOptions(): NodeConnectionOptions {
    const { servers, tls, user, password, token, reconnectWait = 500 } = this.#options;
    return {
      servers: [...servers],
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectWait,
      reconnectJitter: reconnectWait / 4,
      pingInterval: 10_000,
      maxPingOut: 2,
      timeout: 5_000,
      ...(tls === undefined ? {} : { tls: { ...tls } }),
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { pass: password }),
      ...(token === undefined ? {} : { token }),
    };
  }

  /** Until the next attempt, or the end. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.reconnectWait ?? 500);
      this.#stopPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #failed(error: unknown): void {
    this.#options.onError?.(error);
  }
}

function traced(changes: readonly AnnouncedChange[], trace: string): AnnouncedChange[] {
  const receivedAt = performance.now();
  return changes.map((change) => ({ ...change, trace, receivedAt }));
}
