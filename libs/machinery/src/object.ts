/** A value that came from JSON. Integers beyond 2^53 are bigint, so that int64 survives exactly. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The metadata of every object (spec: "Fields present on every object"). */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: JsonObject[];
  selfLink?: string;
}

/** Any API object: a known head and a body that its schema describes. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  [field: string]: unknown;
}

/**
 * Sets a member under whatever name a client chose. Assigning to `__proto__` would set the prototype; here it becomes a
 * member like others. Read members of such names with `Object.hasOwn` before, or they may be inherited ones.
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
