import type { RequestAttributes } from '@orch/authorization';
import type { Endpoint } from '@orch/resources';
import type { Key } from '@orch/storage';

/** Object, or collection, that a write within the server is for. */
export interface WriteTarget {
  /** Resource and version that is written. */
  readonly endpoint: Endpoint;
  /** Namespace and name; the name is empty for collections, and for an object whose name is to be generated. */
  readonly key: Key;
  /** Empty for the object itself. */
  readonly subresource?: string;
}

/** Attributes of a request for authorizers and audit policies, with the path that a client would use. */
export function attributesOf(verb: string, { endpoint, key, subresource = '' }: WriteTarget): RequestAttributes {
  const { group, version, resource } = endpoint.definition;
  const isNamespace = group === '' && resource === 'namespaces';
  const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = key.namespace === '' ? '' : `/namespaces/${key.namespace}`;
  // A new object is sent to its collection, an action to the object that it is for.
  const isNew = verb === 'create' && subresource === '';
  const named = key.name === '' || isNew ? '' : `/${key.name}`;
  const below = subresource === '' ? '' : `/${subresource}`;
  return {
    verb,
    isResourceRequest: true,
    path: `${prefix}${within}/${resource}${named}${below}`,
    ...{ group, version, resource, subresource },
    namespace: isNamespace ? key.name : key.namespace,
    name: key.name,
  };
}
