import { terminatingNamespace } from '@orch/admission';
import { alreadyExists, notFound, type ObjectMeta, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { WriteRefusal } from '@orch/storage';

/** Builds the error for an object that was not created. */
export function createError(
  endpoint: Endpoint,
  namespace: string,
  meta: ObjectMeta,
  { outcome }: WriteRefusal,
): StatusError {
  const name = meta.name ?? '';
  switch (outcome) {
    case 'namespace-not-found':
      return notFound({ group: '', resource: 'namespaces' }, namespace);
    case 'namespace-terminating':
      return terminatingNamespace(endpoint.groupResource, namespace, name);
    default:
      return meta.generateName ? nameTaken(endpoint, name) : alreadyExists(endpoint.groupResource, name);
  }
}

/** Builds the error for a generated name that is taken: the next one may be free. */
function nameTaken(endpoint: Endpoint, name: string): StatusError {
  const { status } = alreadyExists(endpoint.groupResource, name);
  const message = `${status.message}, the server was not able to generate a unique name for the object`;
  return new StatusError('AlreadyExists', message, { ...status.details, retryAfterSeconds: 1 });
}

/** The same of an object that is on its way out, so that its client waits for that. */
export const beingDeleted = ({ status: { message, details } }: StatusError): StatusError =>
  new StatusError('AlreadyExists', `object is being deleted: ${message}`, details);
