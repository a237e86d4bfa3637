import { type Client, Informer } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';

/** Settings of an {@link ApiSource}. */
interface ApiSourceSettings {
  /** Client of the API. */
  readonly client: Client;
  /** Node whose pods are followed. */
  readonly nodeName: string;
  /** Called with all pods of the node, after the first list and each change. */
  readonly onPods: (pods: Iterable<Pod>) => void;
  /** Logs failures, which are tried again. */
  readonly logger: Logger;
}

/** Source of the pods that are bound to the node in the API. */
export class ApiSource {
  readonly #informer: Informer<Pod & ApiObject>;
  readonly #unsubscribe: () => void;

  constructor({ client, nodeName, onPods, logger }: ApiSourceSettings) {
    this.#informer = new Informer<Pod & ApiObject>(
      client,
      { group: '', version: 'v1', resource: 'pods' },
      {
        fieldSelector: `spec.nodeName=${nodeName}`,
        onError: (error) => logger.warn('pods of the node cannot be followed', { err: String(error) }),
      },
    );
    this.#unsubscribe = this.#informer.onChange(() => onPods(this.#informer.list()));
  }

  /** Begins to follow the pods. */
  start(): void {
    this.#informer.start();
  }

  /** Ends that. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#informer.stop();
  }
}
