import type { ApiObject, GroupVersionResource } from '@orch/machinery';

/** Names an object. */
export interface ObjectRef extends GroupVersionResource {
  /** Empty for objects that are in no namespace. */
  readonly namespace: string;
  /** Name of the object. */
  readonly name: string;
}

/**
 * Requests to the API, over HTTP or within the process that serves it. Refusals are errors with the `status` of the API.
 */
export interface ApiRequests {
  /** Reads an object. */
  get(ref: ObjectRef): Promise<ApiObject>;
  /** Makes an object. Resolves with it as it was stored. */
  create(ref: ObjectRef, object: ApiObject): Promise<ApiObject>;
  /** Replaces the version of an object that the given one names. Resolves with it as it was stored. */
  replace(ref: ObjectRef, object: ApiObject, signal?: AbortSignal): Promise<ApiObject>;
  /** Merges a strategic patch into an object, or into a subresource of it. */
  patch(ref: ObjectRef, patch: object, subresource?: string): Promise<void>;
  /** Deletes the object of this uid, as its kind has it by default. */
  delete(ref: ObjectRef, uid: string): Promise<void>;
  /** Sends a Binding of a pod. */
  bind(pod: ObjectRef, binding: ApiObject): Promise<void>;
}

/** Whether the API has refused a request for one of these reasons. */
export function isRefused(error: unknown, ...reasons: readonly string[]): boolean {
  const { status } = (error ?? {}) as { readonly status?: { readonly reason?: unknown } };
  return reasons.some((reason) => reason === status?.reason);
}
