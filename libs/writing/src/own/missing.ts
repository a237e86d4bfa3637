import { type GroupResource, notFound, StatusError } from '@orch/machinery';

/** A resource, by which {@link isMissing} is asked. */
interface OfResource {
  /** Group and resource of the object. */
  readonly groupResource: GroupResource;
}

const NAMESPACES: OfResource = { groupResource: { group: '', resource: 'namespaces' } };

/**
 * Whether an error says that the object of this name does not exist. A 404 by which a webhook denies a write is none:
 * its message begins with the name of the webhook.
 */
export const isMissing = (error: unknown, { groupResource }: OfResource, name: string): boolean =>
  error instanceof StatusError &&
  error.status.reason === 'NotFound' &&
  error.status.message === notFound(groupResource, name).message;

/** Whether an error says that the namespace does not exist in which an object is to be made. */
export const isNamespaceMissing = (error: unknown, namespace: string): boolean =>
  namespace !== '' && isMissing(error, NAMESPACES, namespace);

/** Ignores that the object to be written or removed does not exist. The returned function throws any other error. */
export const ignoreMissing =
  (resource: OfResource, name: string) =>
  (error: unknown): void => {
    if (!isMissing(error, resource, name)) throw error;
  };
