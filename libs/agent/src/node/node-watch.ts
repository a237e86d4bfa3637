import { type Client, Informer } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import type { Node } from '@orch/schema/types/core/v1';

/** Dependencies of a {@link NodeWatch}. */
interface NodeWatchSettings {
  /** Client of the API. */
  readonly client: Client;
  /** Name of the node. */
  readonly name: string;
  /** Receives the node, when it is first read and when it has changed. */
  readonly onNode: (node: Node) => void;
  /** Logs failures, which are tried again. */
  readonly logger: Logger;
}

/** Follows the agent's own node: pods may be bound to it for a label that it has had for a moment. */
export class NodeWatch {
  readonly #informer: Informer<Node & ApiObject>;
  readonly #unsubscribe: () => void;

  constructor({ client, name, onNode, logger }: NodeWatchSettings) {
    this.#informer = new Informer<Node & ApiObject>(
      client,
      { group: '', version: 'v1', resource: 'nodes' },
      {
        fieldSelector: `metadata.name=${name}`,
        onError: (error) => logger.warn('the node cannot be followed', { err: String(error) }),
      },
    );
    this.#unsubscribe = this.#informer.onChange(() => {
      const { node } = this;
      if (node) onNode(node);
    });
  }

  /** The node as the API has it now; undefined while it is not known. */
  get node(): Node | undefined {
    const [node] = this.#informer.hasSynced ? this.#informer.list() : [];
    return node;
  }

  /** Begins to follow the node. */
  start(): void {
    this.#informer.start();
  }

  /** Ends that. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#informer.stop();
  }
}
