import type { ApiObject, GroupVersionResource, JsonObject } from '@orch/machinery';
import { type Endpoint, servedObject, toStatusError } from '@orch/resources';
import { orAborted, systemClock } from '@orch/runtime';
import { type BinderHost, LocalClient, type LocalHost, type LocalIdentity, PodBinder, patiently } from '@orch/writing';

/** Names an object. */
interface ObjectRef extends GroupVersionResource {
  /** Empty for objects that are in no namespace. */
  readonly namespace: string;
  /** Name of the object. */
  readonly name: string;
}

/** A span of time in which requests are made. */
interface RequestTerm {
  /** Whether anything may still be written. */
  readonly goesOn: boolean;
  /** Aborts at its end: nobody waits any more for what is in flight. */
  readonly ended: AbortSignal;
}

/** Limits of requests. */
export interface RequestSettings {
  /** Term in which requests are made. Default: one without end. */
  readonly term?: RequestTerm;
  /** Milliseconds after which an attempt fails; what it has begun may still be written. Default: a minute. */
  readonly timeoutMs?: number;
  /** How often a request that is refused for a while is made again. Default: as often as HTTP clients do. */
  readonly maxRetries?: number;
}

const TIMEOUT_MS = 60_000;

/** Requests of a user within the process that serves the API. Refusals are StatusErrors, as clients read them over HTTP. */
export class LocalApiRequests {
  readonly #client: LocalClient;
  readonly #binder: PodBinder;
  readonly #isOver: () => boolean;

  /** @param endpointOf finds a resource. @throws StatusError 404 for one that is not served */
  constructor(
    host: Omit<LocalHost & BinderHost, 'term' | 'requestMs' | 'maxRetries'>,
    identity: LocalIdentity,
    private readonly endpointOf: (resource: GroupVersionResource) => Endpoint,
    private readonly settings: RequestSettings,
  ) {
    const { term, timeoutMs: requestMs = TIMEOUT_MS } = settings;
    this.#isOver = () => term?.goesOn === false;
    // Whole requests are made again here, so seats are asked for once.
    const limited = { ...host, requestMs, maxRetries: 0, term: () => (this.#isOver() ? undefined : 1) };
    this.#client = new LocalClient(limited, identity);
    this.#binder = new PodBinder(limited, identity);
  }

  /** Reads an object. */
  async get(ref: ObjectRef): Promise<ApiObject> {
    const endpoint = this.endpointOf(ref);
    return this.#make(() => this.#client.get(endpoint, keyOf(ref)));
  }

  /** Makes an object. Resolves with it as it was stored. */
  async create(ref: ObjectRef, object: ApiObject): Promise<ApiObject> {
    const endpoint = this.endpointOf(ref);
    const { stored } = await this.#make(() => this.#client.create(endpoint, object));
    return servedObject(endpoint, stored);
  }

  /** Replaces the version of an object that the given one names. Resolves with it as it was stored. */
  async replace(ref: ObjectRef, object: ApiObject, signal?: AbortSignal): Promise<ApiObject> {
    const endpoint = this.endpointOf(ref);
    const { stored } = await this.#make(() => this.#client.replace(endpoint, object), signal);
    return servedObject(endpoint, stored);
  }

  /** Merges a strategic patch into an object, or into a subresource of it. */
  async patch(ref: ObjectRef, patch: object, subresource = ''): Promise<void> {
    const target = { endpoint: this.endpointOf(ref), key: keyOf(ref), subresource };
    await this.#make(() => this.#client.patch(target, patch as JsonObject));
  }

  /** Deletes the object of this uid, as its kind has it by default. */
  async delete(ref: ObjectRef, uid: string): Promise<void> {
    const endpoint = this.endpointOf(ref);
    await this.#make(() => this.#client.delete(endpoint, keyOf(ref), { dryRun: false, uid }));
  }

  /** Sends a Binding of a pod. */
  async bind(pod: ObjectRef, binding: ApiObject): Promise<void> {
    const endpoint = this.endpointOf(pod);
    await this.#make(() => this.#binder.bind(endpoint, binding));
  }

  #make<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { term, maxRetries } = this.settings;
    const ended = signal ?? term?.ended;
    return patiently(() => this.#inTime(attempt, signal), {
      isOver: () => this.#isOver() || signal?.aborted === true,
      clock: systemClock,
      ...(ended && { ended }),
      ...(maxRetries !== undefined && { maxRetries }),
    });
  }

  async #inTime<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { term, timeoutMs = TIMEOUT_MS } = this.settings;
    for (const each of [term?.ended, signal]) each?.throwIfAborted();
    const late = new AbortController();
    const cancel = systemClock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const answer = attempt().catch((error: unknown) => {
      throw toStatusError(error);
    });
    try {
      return await orAborted(answer, late.signal, term?.ended, signal);
    } finally {
      cancel();
    }
  }
}

const keyOf = ({ namespace, name }: ObjectRef) => ({ namespace, name });
