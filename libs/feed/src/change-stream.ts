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
  /** Most messages that are read after a loss; where there are more, none is. Default 2,000. */
  readonly maxMissed?: number;
}

const SECOND_NANOSECONDS = 1_000_000_000;
/** What is read beyond the time of the loss, for what was under way then. */
const SLACK_MS = 500;
/** How long the rest of what was missed is waited for. */
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

  /** Reads what was published while a connection was lost for so many ms; nothing where that is too much. */
  async readMissed(connection: NatsConnection, lostFor: number, deliver: (message: JsMsg) => void): Promise<void> {
    const { name, subject, maxLoss = 10_000, maxMissed = 2_000 } = this.options;
    if (lostFor > maxLoss) return;
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(name);
    if (state.messages === 0) return;
    // By the clock of the server, which was this at its last message; ours may be another.
    const since = new Date(Date.parse(state.last_ts) - lostFor - SLACK_MS).toISOString();
    const consumer = await jetstream(connection).consumers.get(name, {
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: since,
    });
    const { num_pending: missed } = await consumer.info(true);
    if (missed > 0 && missed <= maxMissed) {
      const messages = await consumer.fetch({ max_messages: missed, expires: READ_MS });
      for await (const message of messages) deliver(message);
    }
    await consumer.delete();
  }
}
