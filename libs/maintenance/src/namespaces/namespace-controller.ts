import type { FollowedObjects } from '@orch/admission';
import { type Controller, followedSource, type ReconcileRun } from '@orch/controllers';
import type { ApiObject, Names } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type Clock, systemClock } from '@orch/runtime';
import { Backoff, TokenBucket } from '@orch/runtime/work';
import { type Change, type ControllerClient, ignoreMissing } from '@orch/writing';
import { reportRemainders } from './namespace-conditions.js';
import type { NamespaceContents, Remainder } from './namespace-contents.js';

/** Dependencies of the namespace controller. */
interface NamespaceControllerOptions {
  readonly names: Names;
  /** In the version that is stored. */
  readonly endpoint: Endpoint;
  /** All namespaces, in memory. */
  readonly namespaces: Pick<FollowedObjects, 'get' | 'all' | 'onChange'>;
  /** Reads a namespace as it is stored. @throws StoreUnavailableError */
  readonly current: (name: string) => Promise<ApiObject | undefined>;
  readonly contents: Pick<NamespaceContents, 'empty'>;
  readonly client: Pick<ControllerClient, 'update'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Clock for the time between looks. Default: the machine's. */
  readonly clock?: Clock;
  /** Called with why a type of objects could not be deleted, unless the status told it before; the namespace is looked at again. */
  readonly onError: (error: unknown) => void;
}

/** Namespaces that are emptied at a time (`--concurrent-namespace-syncs` of kube-controller-manager). */
const WORKERS = 10;
const RETRY = { firstMs: 5, longestMs: 60_000 };
/** Milliseconds until a namespace is looked at again that still holds something. */
const REMAINDER_MS = 5_000;
/** The same where something could not be deleted: doubled with each look. */
const FAILURE = { firstMs: REMAINDER_MS, longestMs: RETRY.longestMs };

/** Empties namespaces that are being deleted, and then takes the finalizer off that stands for their contents (spec: "Deletion of an object"). */
export function namespaceController(options: NamespaceControllerOptions): Controller {
  const reconciler = new NamespaceReconciler(options);
  return {
    name: 'namespace',
    sources: [followedSource(options.namespaces)],
    workers: WORKERS,
    retry: RETRY,
    reconcile: (name, run) => reconciler.reconcile(name, run),
  };
}

/** Looks after failures, at all namespaces together: so many a second, with bursts. */
const FAILURES_PER_SECOND = 10;
const FAILURE_BURST = 100;

/** Outcome of the last look at a namespace. */
interface Looked {
  readonly uid: string;
  /** Monotonic milliseconds before which nothing is looked for again: what is told in its status wakes the controller, too. */
  readonly notBefore: number;
  /** Waits after failures. */
  readonly backoff: Backoff;
}

class NamespaceReconciler {
  /** Namespaces that still held something, by name. */
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
    // Another process may have let it go, and a client have made one of its name, of which memory has yet to hear.
    if (this.#uidIfDue(await this.options.current(name)) !== uid) return undefined;
    const remainders = await this.options.contents.empty(name, () => !run.goesOn || this.#dueUid(name) !== uid);
    if (!run.goesOn || this.#dueUid(name) !== uid) return undefined;
    if (remainders.length === 0) return this.#finalize(name, uid);
    await this.#report(name, uid, remainders);
    return this.#restAfter(name, uid, remainders);
  }

  #dueUid(name: string): string | undefined {
    return this.#uidIfDue(this.options.namespaces.get('', name));
  }

  /** The uid of a namespace that is to be emptied. Finalizers of others keep it when its contents are gone. */
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

  /** Says in the status of a namespace what keeps it. */
  async #report(name: string, uid: string, remainders: readonly Remainder[]): Promise<void> {
    let isNews = false;
    await this.#update({ name, uid }, 'status', (current) => {
      isNews = reportRemainders(current, remainders, this.options.now());
      return current;
    });
    // What its status says already was logged before.
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

  /** Does nothing where the namespace is gone already, or is another of its name. */
  async #update(
    { name, uid }: { readonly name: string; readonly uid: string },
    subresource: string,
    change: Change,
  ): Promise<undefined> {
    const { client, endpoint } = this.options;
    const own: Change = (current, ...more) => (current.metadata?.uid === uid ? change(current, ...more) : current);
    await client.update({ endpoint, key: { namespace: '', name }, subresource }, own).catch(ignoreMissing);
  }
}

const finalizersOf = ({ spec }: ApiObject): readonly string[] =>
  (spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
