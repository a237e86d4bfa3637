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

/** The ConfigMaps and Secrets that pods use, read one by one: an agent may not list them. */
export class ReferencedObjects implements ConfigurationObjects {
  readonly #cached = new Map<string, Cached>();

  constructor(
    private readonly client: Pick<Client, 'get'>,
    private readonly clock: Clock,
  ) {}

  configMap(namespace: string, name: string): Promise<ConfigMap> {
    return this.#read('configmap', namespace, name);
  }

  secret(namespace: string, name: string): Promise<Secret> {
    return this.#read('secret', namespace, name);
  }

  async #read<T>(kind: 'configmap' | 'secret', namespace: string, name: string): Promise<T> {
    const now = this.clock.now();
    for (const [key, { readAt }] of this.#cached) if (now - readAt >= KEPT_MS) this.#cached.delete(key);
    const key = `${kind} ${namespace}/${name}`;
    const cached = this.#cached.get(key) ?? { object: this.#get(kind, namespace, name), readAt: now };
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
