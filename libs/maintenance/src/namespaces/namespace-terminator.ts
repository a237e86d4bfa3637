import { parseStoredJson } from '@orch/codec';
import { type ApiObject, type Names, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { Change as Committed, ReadingStore } from '@orch/storage';
import { type Change, serverItself, type WritePipeline } from '@orch/writing';
import { reportRemainders } from './namespace-conditions.js';
import type { NamespaceContents, Remainder } from './namespace-contents.js';

interface NamespaceTerminatorOptions {
  readonly store: ReadingStore;
  readonly names: Names;
  readonly namespaces: Endpoint;
  readonly contents: NamespaceContents;
  readonly pipeline: WritePipeline;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds between looks for namespaces that another process left half emptied. */
  readonly sweepMs?: number;
  readonly onError?: (error: unknown) => void;
}

const DEFAULT_SWEEP_MS = 5_000;

/**
 * Empties namespaces that are being deleted, then removes their finalizer (spec: "Deletion of an object"). Reacts to
 * deletions by this process at once and finds others by sweeping. Several processes may work on the same namespace, as
 * every step is idempotent.
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

  /** Begins to react to deletions of this process and to sweep. Returns at once. */
  start(): void {
    this.#unsubscribe = this.#options.store.onCommit((changes) => this.#heard(changes));
    this.#schedule(0);
  }

  /** Stops sweeping and resolves once the work under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    await Promise.allSettled(this.#working.values());
  }

  #heard(changes: readonly Committed[]): void {
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
    const remainders = await this.#options.contents.empty(name, () => this.#stopped);
    if (this.#stopped) return;
    for (const { failure } of remainders) if (failure !== undefined) this.#options.onError?.(failure);
    if (remainders.length === 0) await this.#finalize(name);
    else await this.#report(name, remainders);
  }

  /** Tells in the namespace's status what keeps it. */
  async #report(name: string, remainders: readonly Remainder[]): Promise<void> {
    const { now } = this.#options;
    await this.#update(name, 'status', (current) => {
      reportRemainders(current, remainders, now());
      return current;
    });
  }

  /** Takes back the finalizer that stands for the contents; those of others keep the namespace. */
  async #finalize(name: string): Promise<void> {
    const { names } = this.#options;
    await this.#update(name, 'finalize', (current) => {
      const spec = current.spec as { finalizers?: readonly string[] } | undefined;
      const finalizers = (spec?.finalizers ?? []).filter((finalizer) => finalizer !== names.product);
      current.spec = { ...spec, finalizers };
      return current;
    });
  }

  /** One that is gone already is as it should be. */
  async #update(name: string, subresource: string, change: Change): Promise<void> {
    const { pipeline, namespaces: endpoint } = this.#options;
    const key = { namespace: '', name };
    const request = { operation: 'UPDATE', endpoint, key, subresource, caller: serverItself() } as const;
    await pipeline.write({ ...request, options: { dryRun: false } }, { change }).catch(ignoreMissing);
  }
}

/** The quick look spares the parse; the parse tells the field from an annotation of the same name. */
function isTerminating(body: Buffer): boolean {
  if (!body.includes('"deletionTimestamp"')) return false;
  const { metadata } = parseStoredJson(body) as ApiObject;
  return metadata?.deletionTimestamp !== undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.code === 404) return undefined;
  throw error;
}
