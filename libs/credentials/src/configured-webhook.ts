import { type Connection, readKubeconfig } from '@orch/client';
import type { Names } from '@orch/machinery';
import { FileWatch, type Logger } from '@orch/runtime';
import { ReviewWebhook } from '@orch/webhooks';

/** Interval at which the file, and those that it names, are read though no change was notified, ms. */
const LOOK_MS = 60_000;

/**
 * A webhook whose URL and credentials are in a connection file (in the form of a kubeconfig), followed as that changes.
 */
export class ConfiguredWebhook {
  readonly #watch: FileWatch;
  #webhook: ReviewWebhook;

  private constructor(
    private readonly file: string,
    private readonly names: Names,
    private readonly logger: Logger,
    private connection: Connection,
    private readonly onAsked: (failed: boolean) => void,
  ) {
    this.#webhook = new ReviewWebhook({ connection, onAsked });
    this.#watch = new FileWatch({ files: [file], onLook: () => this.#look(), everyMs: LOOK_MS });
    this.#warn();
  }

  /**
   * Opens the webhook of a connection file. `names`: naming profile of the file. `onAsked`: see {@link
   * ReviewWebhookSettings}.
   * @throws KubeconfigError for a file that cannot be used
   */
  static async open(
    file: string,
    names: Names,
    logger: Logger,
    onAsked: (failed: boolean) => void,
  ): Promise<ConfiguredWebhook> {
    return new ConfiguredWebhook(file, names, logger, await readKubeconfig(file, { names }), onAsked);
  }

  /** URL without its query; verdicts of webhooks at other URLs are not this one's. */
  get place(): string {
    const { origin, pathname } = new URL(this.connection.server);
    return origin + pathname;
  }

  /** Calls the webhook, see {@link ReviewWebhook.ask}. */
  ask(review: object): Promise<Readonly<Record<string, unknown>>> {
    return this.#webhook.ask(review);
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#webhook.close();
  }

  /**
   * Reads the file again. One that cannot be used changes nothing; calls in progress are completed by the previous
   * webhook.
   */
  async #look(): Promise<void> {
    try {
      const connection = await readKubeconfig(this.file, { names: this.names });
      if (JSON.stringify(connection) === JSON.stringify(this.connection)) return;
      const before = this.#webhook;
      this.#webhook = new ReviewWebhook({ connection, onAsked: this.onAsked });
      this.connection = connection;
      void before.end();
      this.logger.info('the connection file of a webhook was reloaded', { file: this.file });
      this.#warn();
    } catch (error) {
      this.logger.error('the connection file of a webhook could not be reloaded, the previous one stays in use', error);
    }
  }

  #warn(): void {
    const { protocol, host } = new URL(this.connection.server);
    if (protocol !== 'https:') this.logger.warn(`${this.file}: secrets are sent to ${host} without TLS`);
  }
}
