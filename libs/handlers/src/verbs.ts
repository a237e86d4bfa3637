import { wrongMethod } from '@orch/resources';
import type { ResourceDescription } from '@orch/schema';
import type { RequestContext, ResourceCall, Verb, Verbs } from '@orch/serving';
import { getComponent, listComponents } from './components/component-statuses.js';
import { podLog, podPorts, podStream, proxy } from './connecting/connect.js';
import { type Connections, NO_CONNECTIONS } from './connecting/connections.js';
import type { ApiDeps, VerbDeps } from './deps.js';
import { create } from './objects/create.js';
import { remove } from './objects/delete.js';
import { deleteCollection } from './objects/delete-collection.js';
import { get } from './objects/get.js';
import { list } from './objects/list.js';
import { patch } from './objects/patch.js';
import { getScale, patchScale, updateScale } from './objects/scale.js';
import { update } from './objects/update.js';
import { watch } from './objects/watch.js';
import { reviewAccess, reviewLocalAccess, reviewOwnAccess } from './reviews/access-review.js';
import { reviewOwnRules } from './reviews/rules-review.js';
import { reviewSelf } from './reviews/self-review.js';
import { reviewToken } from './reviews/token-review.js';
import { createBinding, createPodBinding } from './subresources/binding.js';
import { evictPod } from './subresources/eviction.js';
import { requestToken } from './subresources/token-request.js';

/** Carries out one verb at one place. */
type Handler = (deps: VerbDeps, ctx: RequestContext, call: ResourceCall) => Promise<void>;

type Handlers = Readonly<Partial<Record<Verb, Handler>>>;

const RESOURCE: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

/**
 * Handlers of a subresource that is the object itself, in the same kind: the kind decides what it may change
 * (`KindRules.prepareForUpdate`).
 */
const OBJECT: Handlers = { get, update, patch };

/**
 * Handlers by subresource and verb; '' is the resource itself. A subresource is served where it stands here and a kind
 * declares it (`proto/`, option `orch.subresource`), with the verbs that both name: routes, discovery and OpenAPI
 * follow from the two.
 */
const SERVED: ReadonlyMap<string, Handlers> = new Map([
  ['', RESOURCE],
  ['status', OBJECT],
  ['finalize', OBJECT],
  ['approval', OBJECT],
  ['ephemeralcontainers', OBJECT],
  ['scale', { get: getScale, update: updateScale, patch: patchScale }],
  ['binding', { create: createPodBinding }],
  ['eviction', { create: evictPod }],
  ['token', { create: requestToken }],
  ['log', { get: podLog }],
  ['exec', { get: podStream, create: podStream }],
  ['attach', { get: podStream, create: podStream }],
  ['portforward', { get: podPorts, create: podPorts }],
  ['proxy', { get: proxy, create: proxy, update: proxy, patch: proxy, delete: proxy }],
]);

/** Handlers of resources that store nothing. */
const VIRTUAL: ReadonlyMap<string, Handlers> = new Map([
  ['bindings', { create: createBinding }],
  ['componentstatuses', { get: getComponent, list: listComponents }],
  ['localsubjectaccessreviews', { create: reviewLocalAccess }],
  ['selfsubjectaccessreviews', { create: reviewOwnAccess }],
  ['selfsubjectreviews', { create: reviewSelf }],
  ['selfsubjectrulesreviews', { create: reviewOwnRules }],
  ['subjectaccessreviews', { create: reviewAccess }],
  ['tokenreviews', { create: reviewToken }],
]);

/** Finds the handler of a verb on a resource ('') or one of its subresources; undefined for none. */
function handlerOf({ stored, resource }: ResourceDescription, subresource: string, verb: Verb): Handler | undefined {
  const handlers = stored || subresource !== '' ? SERVED.get(subresource) : VIRTUAL.get(resource);
  return handlers?.[verb];
}

/** Whether this server implements a subresource. */
export const servesSubresource = (name: string): boolean => SERVED.has(name);

/**
 * Returns the handlers of all verbs with the dependencies of a process.
 * @param connections connects to nodes. Default: no node is connected to
 */
export function verbsWith(deps: ApiDeps, connections: Connections = NO_CONNECTIONS): Verbs {
  const all = { ...deps, connections };
  return {
    servesSubresource,
    carriesOut: (resource, subresource, verb) => handlerOf(resource, subresource, verb) !== undefined,
    handle: (ctx, route) => {
      const handler = handlerOf(route.endpoint.definition, route.subresource, route.verb);
      if (!handler) throw wrongMethod();
      return handler(all, ctx, route);
    },
  };
}
