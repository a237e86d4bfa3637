import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { headers } from '@nats-io/transport-node';
import { type BodyCodec, earlyCollection, type TypeId } from '@orch/storage';
import { ChangeStream } from './change-stream.js';
import type { AnnouncedChange, ChangeBus } from './feed.js';
import { groupByType } from './group-by-type.js';
import type { Keyring } from './keyring.js';
import { KeptConnection, type NatsConnectionOptions } from './nats-connection.js';
import { decodeBatch, encodeBatches } from './record.js';
import { SEAL_BYTES, type SealRefusal } from './seal.js';
import { type ChangePlaces, subjectOf } from './subjects.js';

/** Why a message from the bus was dropped. */
export type MessageRefusal = SealRefusal | 'malformed' | 'misdirected';

/** Address of the stream, trust, and callbacks for failures. */
export interface JetStreamBusOptions extends NatsConnectionOptions, ChangePlaces {
  /** Signs messages, and verifies them. */
  readonly keyring: Pick<Keyring, 'sign' | 'verify'>;
  /** Whether the stream is created if absent; if not, other processes do. Default true. */
  readonly makesStream?: boolean;
  /**
   * Whether changes of a type are announced without their bodies, which are then read from the database. Default:
   * never.
   */
  readonly omitsBodies?: (type: TypeId) => boolean;
  /** Encoding of bodies in the database, which is used for announcements too. Default: undivided. */
  readonly bodies?: BodyCodec;
  /** Published bytes that the server has not yet accepted; announcements beyond are dropped. Default 32 MiB. */
  readonly maxUnsentBytes?: number;
  /** Called when connecting, publishing, or reading the stream fails. The bus recovers by itself. */
  readonly onError?: (error: unknown) => void;
  /** Called when announcements are dropped for lack of a connection, of room, or of a key. */
  readonly onDropped?: (changes: number) => void;
  /** Called when a message fails verification. Its changes are found in the database. */
  readonly onRefused?: (reason: MessageRefusal) => void;
  /**
   * Called with the number of messages read from the stream after a short loss of the connection, repeats among them.
   */
  readonly onReread?: (messages: number) => void;
  /** Called with the time (ms) from the oldest announcement of a round trip until the server had it. */
  readonly onTaken?: (ms: number) => void;
  /** Reads the trace of a message from its headers. Default false: it costs a little for each message. */
  readonly readTraces?: boolean;
}

/** Header of a message's trace (W3C Trace Context). */
const TRACE_HEADER = 'traceparent';

/** Bytes reserved for headers in the server's largest payload. */
const HEADER_RESERVE = 256;

/**
 * Announces changes on NATS JetStream: one signed message per commit and type. Listening is by plain subscription, the
 * cheapest way; messages missed in a short loss of the connection are read from the stream, and anything else by
 * followers from the database. Connects in the background and for ever. Messages without a valid signature are ignored.
 */
export function jetStreamBus(options: JetStreamBusOptions): ChangeBus {
  return new JetStreamBus(options);
}

type Message = Pick<Msg, 'data' | 'headers'>;

interface Subscribed {
  readonly listeners: Set<(changes: readonly AnnouncedChange[]) => void>;
  stop: () => void;
}

class JetStreamBus implements ChangeBus {
  readonly #options: JetStreamBusOptions;
  readonly #subscribed = new Map<TypeId, Subscribed>();
  readonly #connectedListeners = new Set<() => void>();
  readonly #maxUnsent: number;
  readonly #stream: ChangeStream;
  readonly #kept: KeptConnection;
  #connection: NatsConnection | undefined;
  #connected = false;
  #closed = false;
  #unsent = 0;
  #flushing = false;
  /** Monotonic ms of the oldest announcement that no round trip covers yet. */
  #unsentSince: number | undefined;

  constructor(options: JetStreamBusOptions) {
    this.#options = options;
    this.#maxUnsent = options.maxUnsentBytes ?? 32 << 20;
    this.#stream = new ChangeStream(options.streamName, this.#subject('*'));
    this.#kept = new KeptConnection(options, {
      connected: (connection, lostFor) => void this.#begin(connection, lostFor),
      disconnected: () => {
        this.#connected = false;
      },
      failed: (error) => this.#failed(error),
    });
  }

  publish(changes: readonly AnnouncedChange[]): void {
    const connection = this.#connection;
    if (connection === undefined || !this.#connected || this.#unsent > this.#maxUnsent) {
      this.#options.onDropped?.(changes.length);
      return;
    }
    try {
      this.#unsentSince ??= performance.now();
      const trace = changes[0]?.trace;
      for (const [type, ofType] of groupByType(changes)) this.#publishOfType(connection, type, ofType, trace);
      if (!this.#flushing) void this.#flush(connection);
    } catch (error) {
      this.#failed(error);
      this.#options.onDropped?.(changes.length);
    }
  }

  #publishOfType(connection: NatsConnection, type: TypeId, changes: readonly AnnouncedChange[], trace?: string): void {
    const { keyring, omitsBodies, bodies } = this.#options;
    const limit = (connection.info?.max_payload ?? 1 << 20) - HEADER_RESERVE - SEAL_BYTES;
    const batches = encodeBatches(changes, limit, omitsBodies?.(type), bodies);
    for (const batch of batches) {
      const payload = keyring.sign(batch);
      if (payload === undefined) {
        this.#options.onDropped?.(changes.length);
        return;
      }
      const messageHeaders = trace === undefined ? undefined : headers();
      messageHeaders?.set(TRACE_HEADER, trace ?? '');
      connection.publish(this.#subject(type), payload, messageHeaders && { headers: messageHeaders });
      this.#unsent += payload.length;
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
    this.#closed = true;
    this.#connected = false;
    this.#subscribed.clear();
    this.#connectedListeners.clear();
    await this.#kept.close();
  }

  #subject(type: TypeId | '*'): string {
    return subjectOf(this.#options, type);
  }

  /** Without the stream the announcements still reach subscribers: a failure there is logged only. */
  async #begin(connection: NatsConnection, lostFor: number | undefined): Promise<void> {
    if (lostFor === undefined) {
      this.#connection = connection;
      for (const [type, subscribed] of this.#subscribed) this.#listen(connection, type, subscribed);
    }
    this.#connected = true;
    this.#unsent = 0;
    try {
      if (lostFor !== undefined) await this.#readMissed(connection, lostFor);
    } catch (error) {
      this.#failed(error);
    }
    if (this.#closed) return;
    for (const listener of [...this.#connectedListeners]) listener();
    if (this.#options.makesStream === false) return;
    await this.#stream.ensure(connection).catch((error: unknown) => this.#failed(error));
  }

  async #readMissed(connection: NatsConnection, lostFor: number): Promise<void> {
    const before = this.#subject('*').length - 1;
    await this.#stream.readMissed(connection, lostFor, (message) => {
      const type = Number(message.subject.slice(before));
      const subscribed = this.#subscribed.get(type);
      if (subscribed) this.#deliver(type, message, subscribed.listeners);
      this.#options.onReread?.(1);
    });
  }

  #listen(connection: NatsConnection, type: TypeId, subscribed: Subscribed): void {
    try {
      const subscription = connection.subscribe(this.#subject(type), {
        callback: (error, message) => {
          if (error !== null) this.#failed(error);
          else this.#deliver(type, message, subscribed.listeners);
        },
      });
      subscribed.stop = () => {
        if (!subscription.isClosed()) subscription.unsubscribe();
      };
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Never throws: the client would close the connection. */
  #deliver(
    type: TypeId,
    message: Message,
    listeners: ReadonlySet<(changes: readonly AnnouncedChange[]) => void>,
  ): void {
    try {
      const read = this.#read(type, message);
      if (typeof read === 'string') this.#options.onRefused?.(read);
      else for (const listener of listeners) listener(read);
    } catch (error) {
      this.#options.onRefused?.('malformed');
      this.#failed(error);
    }
  }

  /** Returns the changes in a message, or why it is refused. */
  #read(type: TypeId, message: Message): AnnouncedChange[] | MessageRefusal {
    const payload = this.#options.keyring.verify(message.data);
    if (typeof payload === 'string') return payload;
    const changes = decodeBatch(payload, this.#options.bodies);
    if (changes.some((change) => change.type !== type)) return 'misdirected';
    for (const { body } of changes) earlyCollection.expect(body.length);
    const trace = this.#options.readTraces === true ? message.headers?.get(TRACE_HEADER) : undefined;
    return trace ? traced(changes, trace) : changes;
  }

  /** A round trip confirms what was sent before: at most one is in progress, which bounds its cost under load. */
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

  #failed(error: unknown): void {
    this.#options.onError?.(error);
  }
}

function traced(changes: readonly AnnouncedChange[], trace: string): AnnouncedChange[] {
  const receivedAt = performance.now();
  return changes.map((change) => ({ ...change, trace, receivedAt }));
}
