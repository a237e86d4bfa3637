import { type ApiObject, notFound } from '@orch/machinery';
import { type Endpoint, servedObject, unknownPath } from '@orch/resources';
import type { ApiDeps } from '../deps.js';

/**
 * Finds the endpoint of another resource that a request refers to.
 * @throws StatusError 404 where they are not served
 */
export function endpointOf({ served }: ApiDeps, group: string, resource: string): Endpoint {
  const found = served.current.ofResource(group, resource);
  if (!found) throw unknownPath();
  return found;
}

/**
 * Reads the current state of an object that a body or another object names. Names that no object can have are not
 * looked up.
 * @throws StatusError 404
 */
export async function otherObject(
  deps: ApiDeps,
  endpoint: Endpoint,
  namespace: string,
  name: string,
): Promise<ApiObject> {
  const stored = name.includes('\0') ? undefined : await deps.reader.current(endpoint.type, { namespace, name });
  if (!stored) throw notFound(endpoint.groupResource, name);
  return servedObject(endpoint, stored);
}
