import type { BindingObject, Concerned, RbacPolicy, RoleObject } from '@orch/authorization';
import type { OrderedFeed } from '@orch/feed';
import { type InformerStore, StoreInformer } from '@orch/informers';
import type { Endpoint, PolicyEndpoints } from '@orch/resources';
import type { ChangedKeys } from '@orch/runtime/informers';
import type { Row } from '@orch/storage';
import { readBinding, readRole } from './policy-objects.js';

interface PolicyInformersOptions {
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly endpoints: PolicyEndpoints;
  /** Is kept as the objects are. */
  readonly policy: RbacPolicy;
  readonly onError: (error: unknown) => void;
}

/** An object as it was read last; it is the same one until it changes. */
interface Read<T> {
  readonly version: bigint;
  readonly object: T;
}

type PolicyInformer = Pick<StoreInformer<Read<unknown>>, 'start' | 'stop' | 'confirm' | 'unreadable' | 'onChange'>;

/** Maintains the policy of a process from the roles and bindings that the feed delivers. */
export class PolicyInformers {
  readonly #informers: readonly PolicyInformer[];
  readonly #roles: PolicyInformer;
  readonly #listeners = new Set<(concerned: Concerned) => void>();

  constructor(options: PolicyInformersOptions) {
    const { endpoints, policy } = options;
    const roles = {
      known: (namespace: string, name: string) => policy.role(namespace, name),
      put: (object: RoleObject) => policy.putRole(object),
      remove: (namespace: string, name: string) => policy.removeRole(namespace, name),
    };
    const bindings = {
      known: (namespace: string, name: string) => policy.binding(namespace, name),
      put: (object: BindingObject) => policy.putBinding(object),
      remove: (namespace: string, name: string) => policy.removeBinding(namespace, name),
    };
    this.#roles = this.#follow(options, endpoints.clusterroles, readRole, roles);
    this.#informers = [
      this.#roles,
      this.#follow(options, endpoints.roles, readRole, roles),
      this.#follow(options, endpoints.clusterrolebindings, readBinding, bindings),
      this.#follow(options, endpoints.rolebindings, readBinding, bindings),
    ];
  }

  /** Resolves when all roles and bindings are known: only then requests may be answered. */
  async start(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.start()));
  }

  /** Stops following; the policy stays as it is. */
  stop(): void {
    for (const informer of this.#informers) informer.stop();
  }

  /** Resolves when everything is known that was committed before the call. @throws StoreUnavailableError */
  async confirm(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.confirm()));
  }

  /** Whether there are ClusterRoles that cannot be read: rules aggregated from the others would be incomplete. */
  get lacksClusterRoles(): boolean {
    return this.#roles.unreadable.size > 0;
  }

  /** Adds a listener that is called with the subjects whose rights may have shrunk, after the change took effect. */
  onLoss(listener: (concerned: Concerned) => void): void {
    this.#listeners.add(listener);
  }

  /** Adds a listener that is called after every change of ClusterRoles. */
  onClusterRoles(listener: () => void): () => void {
    return this.#roles.onChange(listener);
  }

  #follow<T>(
    { store, feed, onError }: PolicyInformersOptions,
    endpoint: Endpoint,
    read: (row: Row, endpoint: Endpoint) => T,
    policy: Kept<T>,
  ): PolicyInformer {
    const informer = new StoreInformer<Read<T>>({
      ...{ source: store, feed, type: endpoint.type, onError },
      read: (row, before) =>
        before?.version === row.version ? before : { version: row.version, object: read(row, endpoint) },
    });
    informer.onChange((changed) => {
      const concerned = joined(changesOf(changed, informer.objects, policy));
      if (concerned) for (const listener of this.#listeners) listener(concerned);
    });
    return informer;
  }
}

/** The part of the policy that holds objects of one kind. */
interface Kept<T> {
  known(namespace: string, name: string): T | undefined;
  put(object: T): Concerned | undefined;
  remove(namespace: string, name: string): Concerned | undefined;
}

/** Applies changes to the policy. @returns the subjects that each concerns */
function changesOf<T>(changed: ChangedKeys, objects: ReadonlyMap<string, Read<T>>, policy: Kept<T>) {
  const concerned: Concerned[] = [];
  for (const key of changed) {
    const at = key.indexOf('/');
    const [namespace, name] = [key.slice(0, Math.max(at, 0)), key.slice(at + 1)];
    const object = objects.get(key)?.object;
    if (object !== undefined && object === policy.known(namespace, name)) continue;
    const found = object === undefined ? policy.remove(namespace, name) : policy.put(object);
    if (found) concerned.push(found);
  }
  return concerned;
}

function joined(all: readonly Concerned[]): Concerned | undefined {
  if (all.length === 0) return undefined;
  return {
    users: new Set(all.flatMap(({ users }) => [...users])),
    groups: new Set(all.flatMap(({ groups }) => [...groups])),
  };
}
