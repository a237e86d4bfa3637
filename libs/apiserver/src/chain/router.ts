import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { unknownPath, wrongMethod } from '../http/errors.js';
import { parseBool } from '../reading/read-options.js';
import type { Endpoint } from '../served/endpoint.js';
import type { ServedResources } from '../served/served-resources.js';
import { handlerOf, servesSubresource, type Verb } from '../verbs.js';
import { parseResourcePath, type ResourceRequest } from './request-info.js';

/** What a request is about: enough to authorize, to count and to carry it out. */
export interface Route extends ResourceCall {
  readonly verb: Verb;
}

/** Finds the endpoint of a path and the verb of a request. */
export class ResourceRouter {
  constructor(private readonly served: ServedResources) {}

  /**
   * Undefined when the path is not one of a resource (discovery and the rest).
   * @throws StatusError 404 for resources that are not served, 405 for verbs that they don't have
   */
  route(method: string, path: string, query: URLSearchParams): Route | undefined {
    const request = parseResourcePath(path);
    if (!request) return undefined;
    const endpoint = this.served.current.find(request.group, request.version, request.resource);
    if (!endpoint || request.rest !== '') throw unknownPath();
    const verbs = verbsAt(endpoint, request);
    if (!verbs) throw unknownPath();
    const verb = verbOf(method, request, query);
    if (!verb || !verbs.includes(verb) || !handlerOf(request.subresource, verb)) throw wrongMethod();
    const { namespace, name, subresource } = request;
    return { endpoint, namespace, name, subresource, verb };
  }
}

function verbOf(method: string, request: ResourceRequest, query: URLSearchParams): Verb | undefined {
  const { name, subresource } = request;
  if (request.watching) return method === 'GET' ? 'watch' : undefined;
  switch (method) {
    case 'GET': {
      const watching = subresource === '' && query.size > 0 && parseBool(query, 'watch') === true;
      if (watching) return 'watch';
      return name === '' ? 'list' : 'get';
    }
    case 'POST':
      return name === '' || subresource !== '' ? 'create' : undefined;
    case 'PUT':
      return name === '' ? undefined : 'update';
    case 'PATCH':
      return name === '' ? undefined : 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** What can be done at a path; undefined where nothing is. */
function verbsAt({ definition }: Endpoint, request: ResourceRequest): readonly string[] | undefined {
  const { namespaced, subresources, verbs } = definition;
  if (request.watching && (request.subresource !== '' || !verbs.includes('watch'))) return undefined;
  // Objects stand in a namespace or outside of any, and nowhere else; collections of all namespaces stand outside.
  if (namespaced ? request.namespace === '' && request.name !== '' : request.namespace !== '') return undefined;
  if (request.subresource !== '') {
    if (!servesSubresource(request.subresource)) return undefined;
    return subresources.find(({ name }) => name === request.subresource)?.verbs;
  }
  const acrossNamespaces = namespaced && request.namespace === '';
  return acrossNamespaces ? verbs.filter((verb) => verb === 'list' || verb === 'watch') : verbs;
}

/** Carries a routed request out. */
export function handle(deps: ApiDeps, ctx: RequestContext, route: Route): Promise<void> {
  const handler = handlerOf(route.subresource, route.verb);
  if (!handler) throw wrongMethod();
  return handler(deps, ctx, route);
}
