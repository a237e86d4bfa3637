import type { ApiObject, Names } from '@orch/machinery';
import { namesOf } from '@orch/machinery';
import { acceptOf, isInForm, jsonText } from './binary-form.js';
import type { Connection } from './connection.js';
import { type Query, type ResourceRef, resourcePath } from './paths.js';
import { RateLimiter } from './rate-limiter.js';
import { timerSleep } from './sleep.js';
import { type HttpMethod, type RawRequest, type RawResponse, Transport, type TransportSettings } from './transport.js';
import { openWatch, type WatchEvent, type WatchOptions, type WatchStart, watch } from './watch/watch.js';

/** Settings of a {@link Client}; everything has a default. */
export interface ClientSettings extends TransportSettings {
  /** The server's naming profile. Default: the names of `orch`. */
  readonly names?: Names;
  /** 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Requests a second, watches not counted; beyond that they wait. Negative for no limit. Default 5. */
  readonly qps?: number;
  /** Requests that may go out at once before {@link qps} holds. Default 10. */
  readonly burst?: number;
}

/** A `type`, so that it is a {@link Query} too. */
export type ListSelectors = {
  /** In the text form: `app=web,tier in (a,b)`. Unset or empty selects everything. */
  readonly labelSelector?: string;
  /**
   * In the text form: `spec.nodeName=n1`; each resource has fields that it knows. Unset or empty selects everything.
   */
  readonly fieldSelector?: string;
};

/** Query of a list. A `type`, so that it is a {@link Query} too. */
export type ListQuery = ListSelectors & {
  /** Objects of a page. Unset or 0: everything at once. */
  readonly limit?: number;
  /** Token of the previous page; excludes `resourceVersion` and `resourceVersionMatch`. */
  readonly continue?: string;
  /** Unset: the newest state. `0`: any state that the server has. Else see {@link resourceVersionMatch}. */
  readonly resourceVersion?: string;
  /** `Exact`: the state at that version (410 when it is gone). `NotOlderThan`: that or a later one. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Timeout on the server, seconds. */
  readonly timeoutSeconds?: number;
};

/** Query of a write. A `type`, so that it is a {@link Query} too. */
export type WriteQuery = {
  /** `All`: everything except storing. Unset: for real. */
  readonly dryRun?: 'All';
  /** Manager that will own the written fields: at most 128 bytes, printable. */
  readonly fieldManager?: string;
  /** Treatment of unknown and repeated fields: drop, drop with a warning (default), or refuse. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** For an apply: take fields over from other managers. */
  readonly force?: boolean;
};

/** Options of a request beside its query. */
export interface RequestOptions {
  /** Such as `status` or `scale`; unset for the object itself. */
  readonly subresource?: string;
  /** Aborts the request: the promise rejects with the signal's reason. A write may have taken effect. */
  readonly signal?: AbortSignal;
}

/** A page of a collection. */
export interface ObjectList<T extends ApiObject> {
  /** Version of the list, and of every item, which omits its own. */
  readonly apiVersion?: string;
  /** Kind of the list: `PodList`. */
  readonly kind?: string;
  /**
   * `resourceVersion`: version of the listed state, to watch from. `continue`: set while pages are left;
   * `remainingItemCount`: objects on them, if known.
   */
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  /** In the order of namespace and name. */
  readonly items: readonly T[];
}

/** Media types of the kinds of patch (spec: "Patch content types"). */
export const PATCH_TYPE = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Body of a delete. */
export interface DeleteOptions {
  /** Seconds for the object's graceful deletion; 0 at once. Default: the kind's own. */
  readonly gracePeriodSeconds?: number;
  /** Treatment of the object's dependents: orphaned, deleted after it, deleted before it. Default: the kind's own. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** Conditions on the object; 409 if they are not met. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/**
 * Client of the resource API, in JSON, or in another form by {@link TransportSettings.form}. Every method throws {@link ApiError} when the server refuses and
 * {@link TransportError} when no complete answer arrives. Numbers are read as JavaScript numbers: integers beyond 2^53
 * lose their last digits; use {@link raw} where that matters.
 */
export class Client {
  /** The naming profile of the settings. */
  readonly names: Names;
  readonly #transport: Transport;
  readonly #settings: ClientSettings;
  readonly #limiter: RateLimiter | undefined;

  constructor(connection: Connection, settings: ClientSettings = {}) {
    this.names = settings.names ?? namesOf('orch');
    this.#settings = settings;
    this.#transport = new Transport(connection, settings);
    const { qps = 5, burst = 10, sleep = timerSleep } = settings;
    if (qps >= 0) this.#limiter = new RateLimiter(qps || 5, burst || 10, sleep);
  }

  /** Gets an object. Without a `resourceVersion` the newest state; with one, that or a later one. */
  get<T extends ApiObject>(
    ref: ResourceRef,
    name: string,
    query: { resourceVersion?: string } = {},
    options: RequestOptions = {},
  ) {
    return this.#json<T>('GET', resourcePath(ref, name, options.subresource), query, options);
  }

  /** Lists a page, or everything when no `limit` is set. */
  list<T extends ApiObject>(ref: ResourceRef, query: ListQuery = {}, options: RequestOptions = {}) {
    return this.#json<ObjectList<T>>('GET', resourcePath(ref), query, options);
  }

  /**
   * Yields every page of a list, following `continue`; `limit` is the size of a page. An expired page ends it with a
   * 410.
   */
  async *pages<T extends ApiObject>(
    ref: ResourceRef,
    query: ListQuery = {},
    options: RequestOptions = {},
  ): AsyncGenerator<ObjectList<T>, void> {
    let page = await this.list<T>(ref, query, options);
    yield page;
    while (page.metadata.continue) {
      const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = query;
      page = await this.list<T>(ref, { ...rest, continue: page.metadata.continue }, options);
      yield page;
    }
  }

  /** Creates an object and returns it. `options.name` is that of the parent of a subresource. */
  create<T extends ApiObject>(
    ref: ResourceRef,
    object: T,
    query: WriteQuery = {},
    options: RequestOptions & { name?: string } = {},
  ) {
    const path = resourcePath(ref, options.name, options.subresource);
    return this.#json<T>('POST', path, query, options, JSON_TYPE, object);
  }

  /** Replaces the object named in its metadata. With a resourceVersion in it, only that version. */
  update<T extends ApiObject>(ref: ResourceRef, object: T, query: WriteQuery = {}, options: RequestOptions = {}) {
    const path = resourcePath(ref, object.metadata?.name ?? '', options.subresource);
    return this.#json<T>('PUT', path, query, options, JSON_TYPE, object);
  }

  /** Patches an object and returns it. `patch` is encoded as JSON, also for an `apply`. */
  patch<T extends ApiObject>(
    ref: ResourceRef,
    name: string,
    type: keyof typeof PATCH_TYPE,
    patch: unknown,
    query: WriteQuery = {},
    options: RequestOptions = {},
  ) {
    return this.#json<T>(
      'PATCH',
      resourcePath(ref, name, options.subresource),
      query,
      options,
      PATCH_TYPE[type],
      patch,
    );
  }

  /** Deletes an object. Resolves with the server's answer: a Status, or the object when its deletion takes time. */
  delete(
    ref: ResourceRef,
    name: string,
    body: DeleteOptions = {},
    query: { dryRun?: 'All' } = {},
    options: RequestOptions = {},
  ) {
    return this.#json<ApiObject>(
      'DELETE',
      resourcePath(ref, name, options.subresource),
      query,
      options,
      JSON_TYPE,
      body,
    );
  }

  /** Deletes the selected objects. Resolves with the server's answer: a Status, or the list of deleted objects. */
  deleteCollection(
    ref: ResourceRef,
    query: ListSelectors & { dryRun?: 'All' } = {},
    body: DeleteOptions = {},
    options: RequestOptions = {},
  ) {
    return this.#json<ApiObject>('DELETE', resourcePath(ref), query, options, JSON_TYPE, body);
  }

  /** Sends a request to any path, with bytes in and out. */
  async raw(method: HttpMethod, path: string, request: RawRequest = {}): Promise<RawResponse> {
    await this.#limiter?.take(request.signal);
    return this.#transport.request(method, path, request);
  }

  /** Yields the events of one watch request; see {@link openWatch}. */
  openWatch<T extends ApiObject>(
    ref: ResourceRef,
    query: Query = {},
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>, void> {
    return openWatch(this.#transport, ref, query, signal);
  }

  /** Yields events for as long as the history reaches back, over as many requests as needed; see {@link watch}. */
  watch<T extends ApiObject>(
    ref: ResourceRef,
    start: WatchStart,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const { sleep, random } = this.#settings;
    return watch(
      this.#transport,
      ref,
      start,
      { ...options, ...(sleep && { sleep }), ...(random && { random }) },
      this.names,
    );
  }

  /** Closes all connections; requests and watches in flight fail. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #json<T>(
    method: HttpMethod,
    path: string,
    query: Query,
    options: RequestOptions,
    contentType?: string,
    body?: unknown,
  ): Promise<T> {
    const { form } = this.#transport;
    const binary = contentType === JSON_TYPE ? form?.encode(typed(method, body)) : undefined;
    const response = await this.raw(method, path, {
      query,
      ...(options.signal && { signal: options.signal }),
      headers: {
        accept: acceptOf(form),
        ...(contentType && { 'content-type': binary && form ? form.mediaType : contentType }),
      },
      ...(contentType && { body: binary ?? jsonText(body) }),
    });
    if (isInForm(form, response.headers['content-type'])) return form.decode(response.body) as T;
    return JSON.parse(response.body.toString()) as T;
  }
}

const JSON_TYPE = 'application/json';

/** Returns a body with its type, which JSON bodies of deletes need not have. */
const typed = (method: HttpMethod, body: unknown): ApiObject =>
  method === 'DELETE' ? { apiVersion: 'v1', kind: 'DeleteOptions', ...(body as object) } : (body as ApiObject);
