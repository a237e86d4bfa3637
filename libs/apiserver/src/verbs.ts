import type { ApiDeps, ResourceCall } from './deps.js';
import type { RequestContext } from './http/context.js';
import { get } from './reading/get.js';
import { list } from './reading/list.js';
import { watch } from './watching/watch.js';
import { create } from './writing/create.js';
import { remove } from './writing/delete.js';
import { deleteCollection } from './writing/delete-collection.js';
import { patch } from './writing/patch.js';
import { getScale, patchScale, updateScale } from './writing/scale.js';
import { update } from './writing/update.js';

/** The verbs of the API, as permissions, discovery and metrics name them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Carries out one verb at one place. */
export type Handler = (deps: ApiDeps, ctx: RequestContext, call: ResourceCall) => Promise<void>;

type Handlers = Readonly<Partial<Record<Verb, Handler>>>;

const RESOURCE: Handlers = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

/** A view of the object itself, with the same kind: what it may change is a rule of the kind (`KindRules.prepareForUpdate`). */
const OBJECT: Handlers = { get, update, patch };

/**
 * What this server carries out, by subresource; '' is the resource itself. A subresource is served where it stands here and
 * a kind declares it (`proto/`, option `orch.subresource`), with the verbs that both name: routes, discovery and OpenAPI
 * follow from the two.
 */
const SERVED: ReadonlyMap<string, Handlers> = new Map([
  ['', RESOURCE],
  ['status', OBJECT],
  ['finalize', OBJECT],
  ['approval', OBJECT],
  ['ephemeralcontainers', OBJECT],
  ['scale', { get: getScale, update: updateScale, patch: patchScale }],
]);

const VERBS: ReadonlySet<string> = new Set(Object.keys(RESOURCE));

/** Whether a request's verb is one of those that resources have. */
export const isVerb = (verb: string): verb is Verb => VERBS.has(verb);

/** What carries out a verb on a resource ('') or one of its subresources; undefined where nothing does. */
export const handlerOf = (subresource: string, verb: Verb): Handler | undefined => SERVED.get(subresource)?.[verb];

/** Whether this server carries out what a declaration says of a subresource. */
export const servesSubresource = (name: string): boolean => SERVED.has(name);
