import type { ApiDeps } from '../deps.js';
import { unknownPath } from '../http/errors.js';
import type { Endpoint } from '../served/endpoint.js';

/** Where the objects of another resource are that a request is about. @throws StatusError 404 where they are not served */
export function endpointOf({ served }: ApiDeps, group: string, resource: string): Endpoint {
  const found = served.current.ofResource(group, resource);
  if (!found) throw unknownPath();
  return found;
}
