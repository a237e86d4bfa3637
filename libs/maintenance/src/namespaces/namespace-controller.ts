import { type Controller, informerSource, type ReconcileRun } from '@orch/controllers';
import type { ApiObject, Names } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type Clock, systemClock } from '@orch/runtime';
import type { SharedInformer } from '@orch/runtime/informers';
import { Backoff, TokenBucket } from '@orch/runtime/work';
import { type ControllerClient, ignoreMissing, type UpdateFunction } from '@orch/writing';
import { reportRemainders } from './namespace-conditions.js';
import type { NamespaceContents, Remainder } from './namespace-contents.js';

/** Dependencies of the namespace controller. */
interface NamespaceControllerOptions {
  readonly names: Names;
  /** In the version that is stored. */
  readonly endpoint: Endpoint;
  /** All namespaces, in the cache. */
  readonly namespaces: SharedInformer<ApiObject>;
  /** Reads a namespace as it is stored. @throws StoreUnavailableError */
  readonly current: (name: string) => Promise<ApiObject | undefined>;
  readonly contents: Pick<NamespaceContents, 'empty'>;
  readonly client: Pick<ControllerClient, 'update'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Clock for the time between looks. Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Receives the reason why objects of a type could not be deleted, unless the status already contains it; the
   * namespace is retried.
   */
  readonly onError: (error: unknown) => void;
}

/** Namespaces that are emptied at a time (`--concurrent-namespace-syncs` of kube-controller-manager). */
const WORKERS = 10;
const RETRY = { firstMs: 5, longestMs: 60_000 };
/** Milliseconds until a namespace with remaining objects is retried. */
const REMAINDER_MS = 5_000;
/** Wait after a failed deletion: doubled with each attempt. */
const FAILURE = { firstMs: REMAINDER_MS, longestMs: RETRY.longestMs };

/**
 * Returns a controller that empties namespaces that are being deleted, and then removes the finalizer that stands for
 * their contents (spec: "Deletion of an object").
 */
export function namespaceController(options: NamespaceControllerOptions): Controller {
  const reconciler = new NamespaceReconciler(options);
  return {
    name: 'namespace',
    sources: [informerSource(options.namespaces)],
    workers: WORKERS,
    retry: RETRY,
    reconcile: (name, run) => reconciler.reconcile(name, run),
  };
}

/** Rate of retries after failures, of all namespaces together, per second, with bursts. */
const FAILURES_PER_SECOND = 10;
const FAILURE_BURST = 100;

/** Outcome of the last attempt at a namespace. */
interface Looked {
  readonly uid: string;
  /** Time of the next attempt, monotonic milliseconds: the write of its status wakes the controller earlier. */
  readonly notBefore: number;
  /** Waits after failures. */
  readonly backoff: Backoff;
}

class NamespaceReconciler {
  /** Namespaces with remaining objects, by name. */
  readonly #looked = new Map<string, Looked>();
  readonly #clock: Clock;
  readonly #rate: TokenBucket;

  constructor(private readonly options: NamespaceControllerOptions) {
    const { clock = systemClock } = options;
    this.#clock = clock;
    this.#rate = new TokenBucket(FAILURES_PER_SECOND, FAILURE_BURST, () => clock.now());
  }

  async reconcile(name: string, run: ReconcileRun): Promise<number | undefined> {
    const uid = this.#dueUid(name);
    const looked = this.#looked.get(name);
    if (uid === undefined || looked?.uid !== uid) this.#looked.delete(name);
    if (uid === undefined) return undefined;
    const rest = (this.#looked.get(name)?.notBefore ?? 0) - this.#clock.now();
    if (rest > 0) return rest;
    // Another process may have removed the namespace, and a client have created another of its name, while the cache is
    // outdated.
    if (this.#uidIfDue(await this.options.current(name)) !== uid) return undefined;
    const remainders = await this.options.contents.empty(name, () => !run.goesOn || this.#dueUid(name) !== uid);
    if (!run.goesOn || this.#dueUid(name) !== uid) return undefined;
    if (remainders.length === 0) return this.#finalize(name, uid);
    await this.#report(name, uid, remainders);
    return this.#restAfter(name, uid, remainders);
  }

  #dueUid(name: string): string | undefined {
    return this.#uidIfDue(this.options.namespaces.get(name));
  }

  /** Returns the uid of a namespace that is to be emptied. Finalizers of others keep it once its contents are gone. */
  #uidIfDue(namespace: ApiObject | undefined): string | undefined {
    if (namespace?.metadata?.deletionTimestamp === undefined) return undefined;
    return finalizersOf(namespace).includes(this.options.names.product) ? (namespace.metadata.uid ?? '') : undefined;
  }

  #restAfter(name: string, uid: string, remainders: readonly Remainder[]): number {
    const backoff = this.#looked.get(name)?.backoff ?? new Backoff(FAILURE);
    const hasFailed = remainders.some(({ failure }) => failure !== undefined);
    if (!hasFailed) backoff.reset();
    const rest = hasFailed ? Math.max(backoff.next(), this.#rate.reserve()) : REMAINDER_MS;
    this.#looked.set(name, { uid, notBefore: this.#clock.now() + rest, backoff });
    return rest;
  }

  /** Writes into the status of a namespace why it still exists. */
  async #report(name: string, uid: string, remainders: readonly Remainder[]): Promise<void> {
    let isNews = false;
    await this.#update({ name, uid }, 'status', (current) => {
      isNews = reportRemainders(current, remainders, this.options.now());
      return current;
    });
    // A reason that is already in the status has been logged.
    if (!isNews) return;
    for (const { failure } of remainders) if (failure !== undefined) this.options.onError(failure);
  }

  #finalize(name: string, uid: string): Promise<undefined> {
    return this.#update({ name, uid }, 'finalize', (current) => {
      const finalizers = finalizersOf(current).filter((finalizer) => finalizer !== this.options.names.product);
      current.spec = { ...(current.spec as object | undefined), finalizers };
      return current;
    });
  }

  /** Updates a namespace, unless it is gone or has been replaced by another of its name. */
  async #update(
    { name, uid }: { readonly name: string; readonly uid: string },
    subresource: string,
    change: UpdateFunction,
  ): Promise<undefined> {
    const { client, endpoint } = this.options;
    const own: UpdateFunction = (current, ...more) =>
      current.metadata?.uid === uid ? change(current, ...more) : current;
    await client.update({ endpoint, key: { namespace: '', name }, subresource }, own).catch(ignoreMissing);
  }
}

const finalizersOf = ({ spec }: ApiObject): readonly string[] =>
  (spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
