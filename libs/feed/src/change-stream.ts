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

/** Nothing depends on its content, so it is in memory, and small. */
const STREAM = {
  storage: StorageType.Memory,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  /** Maximum age in nanoseconds. */
  max_age: 60_000_000_000,
  max_bytes: 64 << 20,
};
/** Milliseconds of loss above which followers have read everything from the database already. */
const MAX_LOSS_MS = 10_000;
/** Messages that are read; earlier missed ones are read from the database. */
const NEWEST = 1_000;
/** Milliseconds to wait for them. */
const READ_MS = 2_000;

/**
 * The JetStream stream that keeps announcements for a moment, so that a client that loses its connection for less than
 * that (one NATS server of several restarts) reads what it missed from the stream and not from the database.
 */
export class ChangeStream {
  /** @param subject subject of the stream, with a wildcard */
  constructor(
    private readonly name: string,
    private readonly subject: string,
  ) {}

  /** Creates the stream if it does not exist; an existing one is used as it is. */
  async ensure(connection: NatsConnection): Promise<void> {
    const manager = await jetstreamManager(connection);
    for await (const _ of manager.streams.names(this.subject)) return;
    await manager.streams.add({ name: this.name, subjects: [this.subject], ...STREAM });
  }

  /**
   * Reads the newest messages after a connection was lost for so many ms; none if that is too long. They are counted,
   * not selected by time: NATS 2.9 crashes on a start time when messages have been deleted from memory.
   */
  async readMissed(connection: NatsConnection, lostFor: number, deliver: (message: JsMsg) => void): Promise<void> {
    if (lostFor > MAX_LOSS_MS) return;
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(this.name);
    if (state.messages === 0) return;
    const consumer = await jetstream(connection).consumers.get(this.name, {
      filter_subjects: this.subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: Math.max(state.first_seq, state.last_seq - NEWEST + 1),
    });
    const { num_pending: missed } = await consumer.info(true);
    if (missed > 0) {
      const messages = await consumer.fetch({ max_messages: missed, expires: READ_MS });
      for await (const message of messages) deliver(message);
    }
    await consumer.delete();
  }
}
