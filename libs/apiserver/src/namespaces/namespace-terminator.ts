import { type ApiObject, type Names, StatusError } from '@orch/machinery';
import type { Change, Key, Store } from '@orch/storage';
import type { Endpoint } from '../endpoint.js';
import type { ObjectRemover } from '../writing/object-remover.js';
import type { ObjectWriter } from '../writing/object-writer.js';

export interface NamespaceTerminatorOptions {
  readonly store: Store;
  readonly names: Names;
  readonly namespaces: Endpoint;
  /** One endpoint for each type of namespaced objects. */
  readonly namespaced: readonly Endpoint[];
  readonly remover: ObjectRemover;
  readonly writer: ObjectWriter;
  /** Milliseconds between looks for namespaces that another process left half emptied. */
  readonly sweepMs?: number;
  readonly onError?: (error: unknown) => void;
}

const DEFAULT_SWEEP_MS = 5_000;
const IN_FLIGHT = 64;

/**
 * Empties namespaces that are on their way out and then lets them go (spec: "Deletion of an object").
 * Hears of deletions from this process at once and of the rest by sweeping; several processes may work on the same
 * namespace, as every step is a deletion that may already have happened.
 */
export class NamespaceTerminator {
  readonly #options: NamespaceTerminatorOptions;
  readonly #working = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #stopped = false;

  constructor(options: NamespaceTerminatorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.store.onCommit((changes) => this.#heard(changes));
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#working.values());
  }

  #heard(changes: readonly Change[]): void {
    const { namespaces } = this.#options;
    for (const change of changes) {
      if (change.type === namespaces.type && change.op === 'update' && isTerminating(change.body))
        this.#begin(change.name);
    }
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#sweep()
        .catch((error: unknown) => this.#options.onError?.(error))
        .finally(() => this.#schedule(this.#options.sweepMs ?? DEFAULT_SWEEP_MS));
    }, ms);
    this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    const { store, namespaces } = this.#options;
    const snapshot = await store.snapshot({ type: namespaces.type });
    for await (const page of snapshot.pages) {
      for (const row of page) if (isTerminating(row.body)) this.#begin(row.name);
    }
  }

  #begin(name: string): void {
    if (this.#stopped || this.#working.has(name)) return;
    const work = this.#terminate(name)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => this.#working.delete(name));
    this.#working.set(name, work);
  }

  async #terminate(name: string): Promise<void> {
    let left = 0;
    for (const endpoint of this.#options.namespaced) left += await this.#empty(endpoint, name);
    if (left === 0 && !this.#stopped) await this.#finalize(name);
  }

  /** Deletes what a type holds in the namespace; the number of objects that finalizers or grace keep. */
  async #empty(endpoint: Endpoint, namespace: string): Promise<number> {
    const { store, remover } = this.#options;
    const snapshot = await store.snapshot({ type: endpoint.type, namespace });
    const keys: Key[] = [];
    for await (const page of snapshot.pages) for (const { name } of page) keys.push({ namespace, name });
    let left = 0;
    for (let at = 0; at < keys.length && !this.#stopped; at += IN_FLIGHT) {
      const removals = keys.slice(at, at + IN_FLIGHT).map(async (key) => {
        const removal = await remover.remove(endpoint, key, { dryRun: false }).catch(ignoreMissing);
        if (removal && !removal.gone) left += 1;
      });
      await Promise.all(removals);
    }
    return left;
  }

  /** Takes back the finalizer that stands for the contents; those of others keep the namespace. */
  async #finalize(name: string): Promise<void> {
    const { writer, namespaces, names } = this.#options;
    const request = { endpoint: namespaces, key: { namespace: '', name }, subresource: 'finalize', dryRun: false };
    const emptied = (current: ApiObject): ApiObject => {
      const spec = current.spec as { finalizers?: readonly string[] } | undefined;
      const finalizers = (spec?.finalizers ?? []).filter((finalizer) => finalizer !== names.product);
      current.spec = { ...spec, finalizers };
      return current;
    };
    await writer.update(request, emptied).catch(ignoreMissing);
  }
}

/** The quick look spares the parse; the parse tells the field from an annotation of the same name. */
function isTerminating(body: Buffer): boolean {
  if (!body.includes('"deletionTimestamp"')) return false;
  const { metadata } = JSON.parse(body.toString()) as ApiObject;
  return metadata?.deletionTimestamp !== undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.code === 404) return undefined;
  throw error;
}
