import {
  type ApiObject,
  badRequest,
  conflict,
  ensureMetadata,
  type FieldError,
  invalid,
  type ObjectMeta,
  validateObjectMeta,
} from '@orch/machinery';
import type { Key } from '@orch/storage';
import type { Endpoint } from '../endpoint.js';

export function validateMeta(endpoint: Endpoint, object: ApiObject): FieldError[] {
  return validateObjectMeta(object.metadata ?? {}, {
    namespaced: endpoint.definition.namespaced,
    nameRule: endpoint.storageRules.nameRule,
    path: 'metadata',
  });
}

export const invalidObject = (endpoint: Endpoint, object: ApiObject, errors: readonly FieldError[]) =>
  invalid(endpoint.definition.kind, endpoint.definition.group, object.metadata?.name ?? '', errors);

/** Nothing keeps an object that is on its way out once its finalizers are gone and its grace is over. */
export function isGone(object: ApiObject, endpoint: Endpoint): boolean {
  const meta = object.metadata;
  if (meta?.deletionTimestamp === undefined || (meta.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return !endpoint.storageRules.hasFinalizers(object);
}

/** An object that says where it belongs must say what the path says. */
export function checkPlace(key: Key, meta: ObjectMeta): void {
  if (meta.name !== undefined && meta.name !== '' && meta.name !== key.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${key.name})`);
  }
  if (meta.namespace !== undefined && meta.namespace !== '' && meta.namespace !== key.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

export function checkIdentity(endpoint: Endpoint, key: Key, served: ApiObject, old: ApiObject): void {
  const meta = ensureMetadata(served);
  checkPlace(key, meta);
  if (meta.uid !== undefined && meta.uid !== '' && meta.uid !== old.metadata?.uid) {
    throw conflict(
      endpoint.groupResource,
      key.name,
      `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${old.metadata?.uid ?? ''}`,
    );
  }
}
