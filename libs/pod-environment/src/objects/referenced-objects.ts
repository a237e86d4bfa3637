import { ApiError, type Client, hasReason } from '@orch/client';
import { type ApiObject, notFound } from '@orch/machinery';
import type { Clock } from '@orch/runtime';
import type { ConfigMap, Secret } from '@orch/schema/types/core/v1';
import type { ConfigurationObjects } from '../environment/container-environment.js';

interface Cached {
  readonly object: Promise<ApiObject>;
  /** Monotonic milliseconds. */
  readonly readAt: number;
}

/** Time for which an object is used before it is read again, ms: with a pod's interval, changes are there in 90 s. */
const KEPT_MS = 30_000;

/**
 * The ConfigMaps and Secrets that pods use, read one by one: an agent may not list them. A pod never has one as it was
 * before the pod came, which may have been made because of a change.
 */
export class ReferencedObjects {
  readonly #cached = new Map<string, Cached>();
  /** Monotonic milliseconds at which pods came, by their uids. */
  readonly #since = new Map<string, number>();

  constructor(
    private readonly client: Pick<Client, 'get'>,
    private readonly clock: Clock,
  ) {}

  /** Returns the objects for files of a pod, which follow changes. @param uid of the pod, which came when it is first asked for */
  followedBy(uid: string): ConfigurationObjects {
    const since = this.#since.get(uid) ?? this.clock.now();
    this.#since.set(uid, since);
    return this.#objects(since);
  }

  /** Returns the objects for what is taken from them once: as they are now. */
  current(): ConfigurationObjects {
    return this.#objects(this.clock.now());
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.#since.delete(uid);
  }

  /** @param since monotonic milliseconds: what was read earlier is read again */
  #objects(since: number): ConfigurationObjects {
    return {
      configMap: (namespace, name) => this.#read<ConfigMap>('configmap', namespace, name, since),
      secret: (namespace, name) => this.#read<Secret>('secret', namespace, name, since),
    };
  }

  async #read<T>(kind: 'configmap' | 'secret', namespace: string, name: string, since: number): Promise<T> {
    const now = this.clock.now();
    for (const [key, { readAt }] of this.#cached) if (now - readAt >= KEPT_MS) this.#cached.delete(key);
    const key = `${kind} ${namespace}/${name}`;
    const known = this.#cached.get(key);
    const cached = known && known.readAt >= since ? known : { object: this.#get(kind, namespace, name), readAt: now };
    this.#cached.set(key, cached);
    try {
      return (await cached.object) as T;
    } catch (error) {
      // What was missing may be there the next time.
      if (this.#cached.get(key) === cached) this.#cached.delete(key);
      throw error;
    }
  }

  async #get(kind: string, namespace: string, name: string): Promise<ApiObject> {
    try {
      return await this.client.get({ group: '', version: 'v1', resource: `${kind}s`, namespace }, name);
    } catch (error) {
      // Messages of pods name the kind.
      if (hasReason(error, 'NotFound')) throw new ApiError(notFound({ group: '', resource: kind }, name).status);
      throw error;
    }
  }
}
