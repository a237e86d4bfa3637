import { alreadyExists, notFound, StatusError } from '@orch/machinery';
import type { WriteOutcome } from '@orch/storage';
import type { Endpoint } from '../endpoint.js';

/** Why an object was not created, as its client is told. */
export function createError(endpoint: Endpoint, namespace: string, name: string, outcome: WriteOutcome): StatusError {
  switch (outcome.outcome) {
    case 'namespace-not-found':
      return notFound({ group: '', resource: 'namespaces' }, namespace);
    case 'namespace-terminating':
      return terminatingNamespace(endpoint, namespace, name);
    default:
      return alreadyExists(endpoint.groupResource, name);
  }
}

function terminatingNamespace(endpoint: Endpoint, namespace: string, name: string): StatusError {
  const { group, resource } = endpoint.groupResource;
  const qualified = group ? `${resource}.${group}` : resource;
  return new StatusError(
    'Forbidden',
    `${qualified} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      name,
      ...(group && { group }),
      kind: resource,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  );
}
