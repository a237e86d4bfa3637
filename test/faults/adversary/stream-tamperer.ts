import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Random } from '../random.js';
import type { Stage } from '../stage/stage.js';

/** Number of newest messages that may be deleted, which includes those that a consumer has missed. */
const NEWEST = 40;

/** Somebody who may do to the stream of announcements what he likes. */
export class StreamTamperer {
  /** Messages that are gone. */
  deleted = 0;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly manager: JetStreamManager,
    private readonly random: Random,
  ) {}

  static async open({ cluster, random }: Stage): Promise<StreamTamperer> {
    const connection = await connect({ servers: cluster.natsUrl });
    return new StreamTamperer(connection, await jetstreamManager(connection), random.fork('tamperer'));
  }

  /** Deletes a third of the newest messages; fewer when the server is too busy to answer. */
  async deleteSome(): Promise<void> {
    await this.#delete().catch(() => undefined);
  }

  async #delete(): Promise<void> {
    for await (const { config, state } of this.manager.streams.list()) {
      for (let at = state.last_seq; at > Math.max(state.first_seq, state.last_seq - NEWEST); at--)
        if (this.random.chance(1 / 3) && (await this.manager.streams.deleteMessage(config.name, at))) this.deleted++;
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
