import { notFound } from '@orch/machinery';
import type { ApiDeps, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { unknownPath, wrongMethod } from '../http/errors.js';
import { get } from '../reading/get.js';
import { list } from '../reading/list.js';
import type { Endpoint } from '../served/endpoint.js';
import type { ServedResources } from '../served/served-resources.js';
import { watch } from '../watching/watch.js';
import { create } from '../writing/create.js';
import { remove } from '../writing/delete.js';
import { deleteCollection } from '../writing/delete-collection.js';
import { patch } from '../writing/patch.js';
import { getScale, patchScale, updateScale } from '../writing/scale.js';
import { update } from '../writing/update.js';
import type { RequestInfo } from './request-info.js';

/** The verbs of the API, as permissions, discovery and metrics name them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

type Handler = (deps: ApiDeps, ctx: RequestContext, call: ResourceCall) => Promise<void>;

/** What a request is about: enough to authorize, to count and to carry it out. */
export interface Route extends ResourceCall {
  readonly verb: Verb;
}

const HANDLERS: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};
const SCALE_HANDLERS: Partial<Record<Verb, Handler>> = { get: getScale, update: updateScale, patch: patchScale };

/** Subresources that are views of the object itself, with the same kind. */
const OBJECT_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize', 'approval', 'ephemeralcontainers']);

/** Whether this server carries out what a declaration says of a subresource. */
export const servesSubresource = (name: string): boolean => name === 'scale' || OBJECT_SUBRESOURCES.has(name);

const VERBS: ReadonlySet<string> = new Set(Object.keys(HANDLERS));
/** Verbs of one object; the others are of collections, but for `watch`, which is of both. */
const OF_AN_OBJECT: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** Finds the endpoint of a request. */
export class ResourceRouter {
  constructor(private readonly served: ServedResources) {}

  /**
   * Undefined when nothing that is asked for is a resource (discovery and the rest).
   * @throws StatusError 404 for resources that are not served, 405 for verbs that they don't have
   */
  route(info: RequestInfo): Route | undefined {
    if (!info.isResourceRequest) return undefined;
    const endpoint = this.served.current.find(info.group, info.version, info.resource);
    if (!endpoint || info.rest !== '') throw unknownPath();
    const verbs = verbsAt(endpoint, info);
    if (!verbs) throw unknownPath();
    const { verb, within: namespace, pathName: name, subresource } = info;
    if (!isVerb(verb) || !verbs.includes(verb) || !fits(info)) throw wrongMethod();
    return { endpoint, namespace, name, subresource, verb };
  }
}

const isVerb = (verb: string): verb is Verb => VERBS.has(verb);

/** Whether a verb is asked for by its method, and of what has it. */
function fits({ method, verb, pathName, subresource }: RequestInfo): boolean {
  if (method === 'HEAD' || (verb === 'watch' && method !== 'GET')) return false;
  if (verb === 'watch' || subresource !== '') return true;
  return OF_AN_OBJECT.has(verb) === (pathName !== '');
}

/** What can be done at a path; undefined where nothing is. */
function verbsAt(
  { definition }: Endpoint,
  { within, pathName, subresource }: RequestInfo,
): readonly string[] | undefined {
  const { namespaced, subresources, verbs } = definition;
  // Objects stand in a namespace or outside of any, and nowhere else; collections of all namespaces stand outside.
  if (namespaced ? within === '' && pathName !== '' : within !== '') return undefined;
  if (subresource !== '') {
    if (!servesSubresource(subresource)) return undefined;
    return subresources.find(({ name }) => name === subresource)?.verbs;
  }
  const acrossNamespaces = namespaced && within === '';
  return acrossNamespaces ? verbs.filter((verb) => verb === 'list' || verb === 'watch') : verbs;
}

/** Carries a routed request out. */
export function handle(deps: ApiDeps, ctx: RequestContext, route: Route): Promise<void> {
  if (route.subresource !== 'scale') return HANDLERS[route.verb](deps, ctx, route);
  const handler = SCALE_HANDLERS[route.verb];
  if (!handler) throw notFound(route.endpoint.groupResource, route.name);
  return handler(deps, ctx, route);
}
