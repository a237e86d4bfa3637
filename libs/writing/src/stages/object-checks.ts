import { countValues, holdsMoreValues } from '@orch/codec';
import {
  type ApiObject,
  badRequest,
  conflict,
  type FieldError,
  invalid,
  type ObjectMeta,
  type StatusError,
  validateObjectMeta,
} from '@orch/machinery';
import { type Endpoint, ownersOf, tooLarge, tooManyValues, withoutOwners } from '@orch/resources';
import type { Key } from '@orch/storage';

/** Validates the metadata of an object. Returns an error for each invalid field. */
export function validateMeta(endpoint: Endpoint, object: ApiObject): FieldError[] {
  return validateObjectMeta(object.metadata ?? {}, {
    namespaced: endpoint.definition.namespaced,
    nameRule: endpoint.storageRules.nameRule,
    path: 'metadata',
  });
}

/** How large an object may be. */
export interface ObjectLimits {
  /** Largest stored object, bytes, but for its managedFields, which may be as large again. */
  readonly maxBodyBytes: number;
  /**
   * Most values (scalars, objects, lists) in a request body, and in an object as it is stored but for its
   * managedFields.
   */
  readonly maxValues: number;
  /** Most values of an object whose owners are drawn when it is created or updated. */
  readonly maxOwnedValues: number;
}

/**
 * Checks the size of an object after patches and defaults: at most what a client could send, and as much again for
 * managedFields. An object that is larger already may get smaller.
 * @param before returns the size of the stored object, bytes; default 0
 * @returns the 413 error; undefined where the size is allowed
 */
export function sizeError(body: Buffer, limits: ObjectLimits, before: () => number = () => 0): StatusError | undefined {
  const error = absoluteSizeError(body, limits);
  return error && body.length > before() ? error : undefined;
}

function absoluteSizeError(body: Buffer, { maxBodyBytes, maxValues }: ObjectLimits): StatusError | undefined {
  if (body.length > maxBodyBytes) {
    const owners = ownersOf(body);
    if (Math.max(body.length - owners.length, owners.length) > maxBodyBytes) return tooLarge(maxBodyBytes);
  }
  const few = !holdsMoreValues(body, maxValues) || !holdsMoreValues(withoutOwners(body), maxValues);
  return few ? undefined : tooManyValues(maxValues);
}

/** Number of values that the stored form of an object leaves out: its kind, apiVersion and resource version. */
const UNSTORED_VALUES = 3;

/** Whether an object has too many values to be stored, estimated before it has its stored form. */
export const holdsTooMany = (object: ApiObject, maxValues: number): boolean =>
  countValues(unowned(object), maxValues + UNSTORED_VALUES) > maxValues + UNSTORED_VALUES;

/** Counts the values of an object without managedFields, up to `most` and one more. */
export const valuesOf = (object: ApiObject, most: number): number => countValues(unowned(object), most);

function unowned(object: ApiObject): ApiObject {
  if (!object.metadata?.managedFields) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Builds the 422 error for an object with invalid fields. */
export const invalidObject = (endpoint: Endpoint, object: ApiObject, errors: readonly FieldError[]) =>
  invalid(endpoint.definition.kind, endpoint.definition.group, object.metadata?.name ?? '', errors);

/** Whether an object that is being deleted can be removed: it has no finalizers left and its grace period is over. */
export function isGone(object: ApiObject, endpoint: Endpoint): boolean {
  const meta = object.metadata;
  if (meta?.deletionTimestamp === undefined || (meta.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !endpoint.storageRules.hasFinalizers(object);
}

/**
 * Checks that the object has the name in the path, and no other namespace than the path. Removes the namespace of a
 * cluster-scoped object.
 * @throws StatusError 400
 */
export function checkPlace(endpoint: Endpoint, key: Key, meta: ObjectMeta): void {
  if (!endpoint.definition.namespaced) delete meta.namespace;
  else if (meta.namespace && meta.namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = meta.name ?? '';
  if (name === key.name) return;
  throw badRequest(
    name === ''
      ? `the name of the object (${key.name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${key.name})`,
  );
}

/** The version that a client names; empty for none, which `0` means as well. */
export function namedVersion(object: ApiObject): string {
  const version = object.metadata?.resourceVersion ?? '';
  return version === '0' ? '' : version;
}

/**
 * Refuses an update whose uid is not that of the live object (in a patch it is a value that cannot be changed).
 * @throws StatusError 409
 */
export function requireUid(endpoint: Endpoint, wanted: ApiObject, current: ApiObject): void {
  const uid = wanted.metadata?.uid ?? '';
  const { uid: live = '', name = '' } = current.metadata ?? {};
  if (uid === '' || uid === live) return;
  const broken = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live}`;
  throw conflict(endpoint.groupResource, name, broken);
}
