import type { Client } from '@orch/client';
import type { ApiObject } from '@orch/machinery';
import { PODS } from './resources.js';

/** Seconds after which pods that are not bound end the measurement. */
const PATIENCE_S = 120;

/** Bindings of some pods, as a watch shows them. */
export class Bindings {
  readonly #begun = new Map<string, number>();
  readonly #took: number[] = [];
  readonly #nodes = new Map<string, string>();
  readonly #end = new AbortController();
  readonly #all: Promise<void>;
  #finish = (): void => undefined;
  #fail = (_error: unknown): void => undefined;

  private constructor(
    private readonly client: Client,
    private readonly pods: number,
  ) {
    this.#all = new Promise((resolve, reject) => {
      [this.#finish, this.#fail] = [resolve, reject];
    });
  }

  /** Begins to watch. @param pods number of pods that are going to be bound */
  static async begin(client: Client, pods: number): Promise<Bindings> {
    const bindings = new Bindings(client, pods);
    const { metadata } = await client.list(PODS, { limit: 1 });
    bindings.#follow(metadata.resourceVersion ?? '').catch((error: unknown) => bindings.#fail(error));
    return bindings;
  }

  /** Milliseconds that all but one in a hundred took from creation to binding. */
  get p99(): number {
    return this.#took.toSorted((a, b) => a - b)[Math.ceil(this.#took.length * 0.99) - 1] ?? 0;
  }

  /** Nodes by the names of the pods. */
  get nodes(): ReadonlyMap<string, string> {
    return this.#nodes;
  }

  /** Creates a pod. */
  async create(name: string, { labels, spec }: { readonly labels: object; readonly spec: object }): Promise<void> {
    this.#begun.set(name, performance.now());
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec };
    await this.client.create(PODS, pod as ApiObject);
  }

  /** Resolves when all pods are bound. @throws Error where that takes minutes */
  async all(): Promise<void> {
    const missing = () => new Error(`after ${PATIENCE_S} s, ${this.#took.length} of ${this.pods} pods are bound`);
    const timer = setTimeout(() => this.#fail(missing()), PATIENCE_S * 1_000);
    try {
      await this.#all;
    } finally {
      clearTimeout(timer);
      this.#end.abort();
    }
  }

  async #follow(after: string): Promise<void> {
    for await (const { type, object } of this.client.watch<ApiObject>(PODS, { after }, { signal: this.#end.signal })) {
      const name = object.metadata?.name ?? '';
      const begun = this.#begun.get(name);
      const { nodeName } = object.spec as { nodeName?: string };
      if (type !== 'MODIFIED' || begun === undefined || !nodeName) continue;
      this.#begun.delete(name);
      this.#nodes.set(name, nodeName);
      this.#took.push(performance.now() - begun);
      if (this.#took.length === this.pods) this.#finish();
    }
  }
}
