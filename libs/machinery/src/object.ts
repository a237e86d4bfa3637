/** A value that came from JSON. Integers beyond 2^53 are bigint, so that int64 survives exactly. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
/** Members by name. One that is undefined is left out when the object is written. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/**
 * An object that this one belongs to, in the same namespace or without one: when the last is gone, this is collected.
 */
export interface OwnerReference {
  /** Group and version that the owner was named in: `apps/v1`. */
  apiVersion: string;
  /** Kind of the owner: `ReplicaSet`. */
  kind: string;
  /** The owner's `metadata.name`. */
  name: string;
  /** The owner's uid. Another object that takes the name later is not the owner. */
  uid: string;
  /** The one owner that manages this object; at most one reference says so. Default false. */
  controller?: boolean;
  /** A foreground deletion of the owner waits until this object is gone. Default false. */
  blockOwnerDeletion?: boolean;
}

/** The metadata of every object (spec: "Fields present on every object"). */
export interface ObjectMeta {
  /** Unique among the objects of a resource in a namespace; what it may look like is the kind's rule. Never changes. */
  name?: string;
  /** Beginning of a name that the server completes when `name` is unset; see {@link generateName}. */
  generateName?: string;
  /** Unset or empty for objects of the cluster. Never changes. */
  namespace?: string;
  /** Set by the server: identifies objects that had the same name at different times. A UUID. */
  uid?: string;
  /**
   * Given by the server at every change, opaque to clients; sent with a write, it is the one version to be written
   * over.
   */
  resourceVersion?: string;
  /** Given by the server: grows when what is wanted changes, and stays when only metadata or status do. */
  generation?: number;
  /** Given by the server, RFC 3339 in UTC with whole seconds; null before the object is created. */
  creationTimestamp?: string | null;
  /** Given by the server when deletion was asked for and waits for finalizers or for a grace period; RFC 3339. */
  deletionTimestamp?: string;
  /** Given by the server beside `deletionTimestamp`, seconds; it only ever shrinks. */
  deletionGracePeriodSeconds?: number;
  /** Labels for selectors; see {@link validateLabels} for their form. */
  labels?: Record<string, string>;
  /** Free texts, 256 KiB for all together; no selector sees them. */
  annotations?: Record<string, string>;
  /** Without an owner the object stands for itself. */
  ownerReferences?: OwnerReference[];
  /** Components that must act before the object is removed; a deleted object is removed when the list is empty. */
  finalizers?: string[];
  /** Which fields each manager has set (spec: "Server-side apply"); entries of `meta/v1.ManagedFieldsEntry`. */
  managedFields?: JsonObject[];
  /** Nothing sets it any more (KEP-1164): what clients send is dropped. */
  selfLink?: string;
}

/** Any API object: a known head and a body that its schema describes. */
export interface ApiObject {
  /** `group/version`, or the version alone in the core group. The items of a list leave it out. */
  apiVersion?: string;
  /** Kind of the object; left out where `apiVersion` is. */
  kind?: string;
  /** Missing only in what clients sent, and in kinds that have none, such as a review. */
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

/** The member of a name that a client chose; undefined for one that the object only inherits. */
export const memberOf = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The metadata of an object, put there when it is missing. */
export function ensureMetadata(object: ApiObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}
