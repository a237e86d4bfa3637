import type { ObjectMeta } from '@orch/machinery';
import type { AuditedRequest } from '../policy/evaluator.js';
import type { EventObject } from './event.js';

/** Metadata of an object that was sent, as far as events name the object by it. */
export type SentNames = Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;

/** Names the object of a request. @param sent metadata of the body; the path of the request wins */
export function objectRefOf(
  request: Omit<AuditedRequest, 'verb'> & { readonly version: string },
  { name: sentName, namespace: within, uid, resourceVersion }: SentNames = {},
): EventObject {
  const { group, version, resource, subresource, name = '', namespace = '' } = request;
  return {
    resource,
    ...((name || sentName) && { name: name || sentName }),
    ...((namespace || within) && { namespace: namespace || within }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
    ...(group && { apiGroup: group }),
    ...(version && { apiVersion: version }),
    ...(subresource && { subresource }),
  };
}
