import {
  DeliverPolicy,
  DiscardPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

export interface ChangeStreamOptions {
  /** The stream; created if absent, else used as it is. */
  readonly name: string;
  /** What it holds, with a wildcard. */
  readonly subject: string;
  /** Where one that is created keeps its messages. Default memory: nothing rests on it. */
  readonly storage?: 'memory' | 'file';
  /** Seconds that one that is created keeps a message. Default 60. */
  readonly maxAge?: number;
  /** Bytes that one that is created keeps. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Longest loss of a connection (ms) after which it is read, rather than the database. Default 10,000. */
  readonly maxLoss?: number;
  /** The newest messages that are read after it; what was missed before them is left to the database. Default 1,000. */
  readonly newest?: number;
}

const SECOND_NANOSECONDS = 1_000_000_000;
/** How long they are waited for. */
const READ_MS = 2_000;

/**
 * The JetStream stream that keeps announcements for a moment, so that who loses its connection for less than that (a NATS
 * server of several that restarts) asks this and not the database for what it missed.
 */
export class ChangeStream {
  constructor(private readonly options: ChangeStreamOptions) {}

  /** Creates the stream where there is none. */
  async ensure(connection: NatsConnection): Promise<void> {
    const { name, subject, storage = 'memory', maxAge = 60, maxBytes = 64 << 20 } = this.options;
    const manager = await jetstreamManager(connection);
    for await (const _ of manager.streams.names(subject)) return;
    await manager.streams.add({
      name,
      subjects: [subject],
      storage: storage === 'memory' ? StorageType.Memory : StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: maxAge * SECOND_NANOSECONDS,
      max_bytes: maxBytes,
    });
  }

  /**
   * Reads the newest messages after a connection was lost for so many ms; nothing where that is too much. They are counted,
   * not chosen by their time: NATS 2.9 crashes over a time where messages have been deleted from memory.
   */
  async readMissed(connection: NatsConnection, lostFor: number, deliver: (message: JsMsg) => void): Promise<void> {
    const { name, subject, maxLoss = 10_000, newest = 1_000 } = this.options;
    if (lostFor > maxLoss) return;
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(name);
    if (state.messages === 0) return;
    const consumer = await jetstream(connection).consumers.get(name, {
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(state.first_seq, state.last_seq - newest + 1),
    });
    const { num_pending: missed } = await consumer.info(true);
    if (missed > 0) {
      const messages = await consumer.fetch({ max_messages: missed, expires: READ_MS });
      for await (const message of messages) deliver(message);
    }
    await consumer.delete();
  }
}
