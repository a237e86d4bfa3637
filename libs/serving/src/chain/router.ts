import { badRequest, pathSegmentErrors } from '@orch/machinery';
import { type Endpoint, type ServedResources, unknownPath, wrongMethod } from '@orch/resources';
import { isVerb, type Route } from '../http/route.js';
import type { Verbs } from '../http/verbs.js';
import type { RequestInfo } from './request-info.js';

/** Verbs for a single object; the others are for collections, except `watch`, which is for both. */
const OF_AN_OBJECT: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** Finds the endpoint of a request. */
export class ResourceRouter {
  constructor(
    private readonly served: ServedResources,
    private readonly verbs: Verbs,
  ) {}

  /**
   * Returns the route of a request; undefined if its path is no resource (discovery and others).
   * @throws StatusError 404 for resources that are not served, 405 for verbs that they do not support
   */
  route(info: RequestInfo): Route | undefined {
    if (!info.isResourceRequest) return undefined;
    const endpoint = this.served.current.find(info.group, info.version, info.resource);
    if (!endpoint || (info.rest !== '' && !isProxied(info))) throw unknownPath();
    const verbs = this.#verbsAt(endpoint, info);
    if (!verbs) throw unknownPath();
    const { within: namespace, pathName: name, subresource } = info;
    const verb = verbOf(info);
    if (!isVerb(verb) || !verbs.includes(verb) || !fits(info)) throw wrongMethod();
    if (!this.verbs.carriesOut(endpoint.definition, subresource, verb)) throw wrongMethod();
    checkPlace(info);
    return { endpoint, namespace, name, subresource, verb };
  }

  /** Returns the verbs that a path allows; undefined if it is not served. */
  #verbsAt(
    { definition }: Endpoint,
    { oldPrefix, within, pathName, subresource, emptyNamespace }: RequestInfo,
  ): readonly string[] | undefined {
    const { namespaced, subresources, verbs } = definition;
    // The `proxy` prefix was removed before release 1.27; the `watch` prefix is for resources that can be watched.
    if (oldPrefix === 'proxy' || (oldPrefix === 'watch' && (subresource !== '' || !verbs.includes('watch'))))
      return undefined;
    // A namespaced object is in a namespace, a cluster-scoped one in none; collections of all namespaces are in none.
    if (namespaced ? within === '' && pathName !== '' && !emptyNamespace : within !== '' || emptyNamespace)
      return undefined;
    if (subresource !== '') {
      if (!this.verbs.servesSubresource(subresource)) return undefined;
      return subresources.find(({ name }) => name === subresource)?.verbs;
    }
    const acrossNamespaces = namespaced && within === '' && pathName === '';
    return acrossNamespaces ? verbs.filter((verb) => verb === 'list' || verb === 'watch') : verbs;
  }
}

/** Checks that the namespace and the name can be parts of a path. @throws StatusError 400 */
function checkPlace({ emptyNamespace, pathName }: RequestInfo): void {
  if (pathName === '') return;
  if (emptyNamespace) throw badRequest('Namespace parameter required.');
  const wrong = pathSegmentErrors(pathName);
  if (wrong.length === 0) return;
  throw badRequest(`Name parameter invalid: ${JSON.stringify(pathName)}: ${wrong.join(';')}`);
}

/** Whether the path continues with one of another server, which has methods of its own. */
const isProxied = ({ subresource }: RequestInfo): boolean => subresource === 'proxy';

/** OPTIONS has no verb in authorization; the server behind a proxied path decides what it means. */
const verbOf = (info: RequestInfo): string => (info.method === 'OPTIONS' && isProxied(info) ? 'get' : info.verb);

/** Whether the method supports the verb, and the endpoint too. */
function fits(info: RequestInfo): boolean {
  const { method, verb, pathName, subresource } = info;
  if ((method === 'HEAD' && !isProxied(info)) || (verb === 'watch' && method !== 'GET')) return false;
  if (verb === 'watch' || subresource !== '') return true;
  return OF_AN_OBJECT.has(verb) === (pathName !== '');
}
