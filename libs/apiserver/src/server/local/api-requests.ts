import type { ApiObject, GroupVersionResource, JsonObject } from '@orch/machinery';
import { type Endpoint, servedObject } from '@orch/resources';
import { orAborted } from '@orch/runtime';
import { type BinderHost, LocalClient, type LocalHost, type LocalIdentity, PodBinder } from '@orch/writing';

/** Names an object. */
interface ObjectRef extends GroupVersionResource {
  /** Empty for objects that are in no namespace. */
  readonly namespace: string;
  /** Name of the object. */
  readonly name: string;
}

/** Limits of requests. */
export interface RequestSettings {
  /** Whether anything may still be written. Default: always. */
  readonly mayWrite?: () => boolean;
  /** Milliseconds after which a request fails; what it has begun may still be written. Default: a minute. */
  readonly timeoutMs?: number;
}

/** Requests of a user within the process that serves the API. Refusals are StatusErrors. */
export class LocalApiRequests {
  readonly #client: LocalClient;
  readonly #binder: PodBinder;

  /** @param endpointOf finds a resource. @throws StatusError 404 for one that is not served */
  constructor(
    host: Omit<LocalHost & BinderHost, 'term' | 'requestMs'>,
    identity: LocalIdentity,
    private readonly endpointOf: (resource: GroupVersionResource) => Endpoint,
    private readonly settings: RequestSettings,
  ) {
    const { mayWrite = () => true, timeoutMs } = settings;
    const term = () => (mayWrite() ? 1 : undefined);
    const limited = { ...host, term, ...(timeoutMs !== undefined && { requestMs: timeoutMs }) };
    this.#client = new LocalClient(limited, identity);
    this.#binder = new PodBinder(limited, identity);
  }

  /** Reads an object. */
  async get(ref: ObjectRef): Promise<ApiObject> {
    return this.#inTime(this.#client.get(this.endpointOf(ref), keyOf(ref)));
  }

  /** Makes an object. Resolves with it as it was stored. */
  async create(ref: ObjectRef, object: ApiObject): Promise<ApiObject> {
    const endpoint = this.endpointOf(ref);
    const { stored } = await this.#inTime(this.#client.create(endpoint, object));
    return servedObject(endpoint, stored);
  }

  /** Replaces the version of an object that the given one names. Resolves with it as it was stored. */
  async replace(ref: ObjectRef, object: ApiObject, signal?: AbortSignal): Promise<ApiObject> {
    signal?.throwIfAborted();
    const endpoint = this.endpointOf(ref);
    const { stored } = await this.#inTime(this.#client.replace(endpoint, object), signal);
    return servedObject(endpoint, stored);
  }

  /** Merges a strategic patch into an object, or into a subresource of it. */
  async patch(ref: ObjectRef, patch: object, subresource = ''): Promise<void> {
    const target = { endpoint: this.endpointOf(ref), key: keyOf(ref), subresource };
    await this.#inTime(this.#client.patch(target, patch as JsonObject));
  }

  /** Deletes the object of this uid, as its kind has it by default. */
  async delete(ref: ObjectRef, uid: string): Promise<void> {
    await this.#inTime(this.#client.delete(this.endpointOf(ref), keyOf(ref), { dryRun: false, uid }));
  }

  /** Sends a Binding of a pod. */
  async bind(pod: ObjectRef, binding: ApiObject): Promise<void> {
    await this.#inTime(this.#binder.bind(this.endpointOf(pod), binding));
  }

  #inTime<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { timeoutMs } = this.settings;
    if (timeoutMs === undefined) return orAborted(work, signal);
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    return orAborted(work, AbortSignal.any(limits));
  }
}

const keyOf = ({ namespace, name }: ObjectRef) => ({ namespace, name });
