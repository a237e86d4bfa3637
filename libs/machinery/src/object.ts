/** A value from JSON. Integers beyond 2^53 are bigint, so that int64 is exact. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
/** Members by name. Undefined ones are omitted when the object is encoded. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** An object of any shape, as decoded from JSON or YAML. Integers beyond 2^53 are bigint. */
export type Json = Record<string, unknown>;

/** Whether a value is an object, and neither null nor a list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An owner of this object, in the same namespace or cluster-scoped: when the last owner is gone, this object is
 * garbage-collected.
 */
export interface OwnerReference {
  /** Group and version in which the owner was referenced: `apps/v1`. */
  apiVersion: string;
  /** Kind of the owner: `ReplicaSet`. */
  kind: string;
  /** The owner's `metadata.name`. */
  name: string;
  /** The owner's uid. A later object of the same name is not the owner. */
  uid: string;
  /** Whether this is the owner that manages the object; at most one reference is. Default false. */
  controller?: boolean;
  /** Whether a foreground deletion of the owner waits until this object is gone. Default false. */
  blockOwnerDeletion?: boolean;
}

/** The metadata of every object (spec: "Fields present on every object"). */
export interface ObjectMeta {
  /** Unique among the objects of a resource in a namespace; its form depends on the kind. Immutable. */
  name?: string;
  /** Prefix of a name that the server completes when `name` is unset; see {@link generateName}. */
  generateName?: string;
  /** Unset or empty for cluster-scoped objects. Immutable. */
  namespace?: string;
  /** Set by the server: identifies objects that had the same name at different times. A UUID. */
  uid?: string;
  /** Set by the server at every change, opaque to clients; in a write, the only version that it may replace. */
  resourceVersion?: string;
  /** Set by the server: grows when the desired state changes, but not when only metadata or status do. */
  generation?: number;
  /** Set by the server, RFC 3339 in UTC with whole seconds; null before the object is created. */
  creationTimestamp?: string | null;
  /** Set by the server when a requested deletion waits for finalizers or for a grace period; RFC 3339. */
  deletionTimestamp?: string;
  /** Set by the server beside `deletionTimestamp`, seconds; it can only be shortened. */
  deletionGracePeriodSeconds?: number;
  /** Labels for selectors; see {@link validateLabels} for their form. */
  labels?: Record<string, string>;
  /** Free texts, 256 KiB together; selectors do not match them. */
  annotations?: Record<string, string>;
  /** Owners of the object, if it has any. */
  ownerReferences?: OwnerReference[];
  /** Components that must act before the object is removed; a deleted object is removed when the list is empty. */
  finalizers?: string[];
  /** Which fields each manager has set (spec: "Server-side apply"); entries of `meta/v1.ManagedFieldsEntry`. */
  managedFields?: JsonObject[];
  /** Never set any more (KEP-1164): clients' values are dropped. */
  selfLink?: string;
}

/** Any API object: a common head and a body that its schema describes. */
export interface ApiObject {
  /** `group/version`, or the version alone in the core group. The items of a list omit it. */
  apiVersion?: string;
  /** Kind of the object; omitted where `apiVersion` is. */
  kind?: string;
  /** Missing only in objects from clients, and in kinds that have none, such as a review. */
  metadata?: ObjectMeta;
  [field: string]: unknown;
}

/**
 * Sets a member with a name chosen by a client. Assigning to `__proto__` would set the prototype; here it becomes a
 * member like others. Read members of such names with `Object.hasOwn` first, or they may be inherited ones.
 */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}

/** Returns a member with a name chosen by a client; undefined for one that the object only inherits. */
export const memberOf = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Returns the metadata of an object, which is created if missing. */
export function ensureMetadata(object: ApiObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}
