import type { FollowedObjects } from '@orch/admission';
import { type Controller, followedSource, type ReconcileRun } from '@orch/controllers';
import type { ApiObject, Names } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
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
  readonly contents: Pick<NamespaceContents, 'empty'>;
  readonly client: Pick<ControllerClient, 'update'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with why a type of objects could not be deleted; the namespace is looked at again. */
  readonly onError: (error: unknown) => void;
}

/** Namespaces that are emptied at a time (`--concurrent-namespace-syncs` of kube-controller-manager). */
const WORKERS = 10;
const RETRY = { firstMs: 5, longestMs: 60_000 };
/** Milliseconds until a namespace is looked at again that still holds something. */
const REMAINDER_MS = 5_000;

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

class NamespaceReconciler {
  constructor(private readonly options: NamespaceControllerOptions) {}

  async reconcile(name: string, run: ReconcileRun): Promise<number | undefined> {
    const { names, namespaces, contents, onError } = this.options;
    const namespace = namespaces.get('', name);
    if (namespace?.metadata?.deletionTimestamp === undefined) return undefined;
    // Finalizers of others keep it; its contents are gone.
    if (!finalizersOf(namespace).includes(names.product)) return undefined;
    const remainders = await contents.empty(name, () => !run.goesOn);
    if (!run.goesOn) return undefined;
    for (const { failure } of remainders) if (failure !== undefined) onError(failure);
    if (remainders.length === 0) return this.#finalize(name);
    await this.#report(name, remainders);
    return REMAINDER_MS;
  }

  /** Says in the status of a namespace what keeps it. */
  #report(name: string, remainders: readonly Remainder[]): Promise<undefined> {
    return this.#update(name, 'status', (current) => {
      reportRemainders(current, remainders, this.options.now());
      return current;
    });
  }

  #finalize(name: string): Promise<undefined> {
    return this.#update(name, 'finalize', (current) => {
      const finalizers = finalizersOf(current).filter((finalizer) => finalizer !== this.options.names.product);
      current.spec = { ...(current.spec as object | undefined), finalizers };
      return current;
    });
  }

  /** Does nothing where the namespace is gone already. */
  async #update(name: string, subresource: string, change: Change): Promise<undefined> {
    const { client, endpoint } = this.options;
    await client.update({ endpoint, key: { namespace: '', name }, subresource }, change).catch(ignoreMissing);
  }
}

const finalizersOf = ({ spec }: ApiObject): readonly string[] =>
  (spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
