import type { ResourceDescription } from '@orch/schema';
import type { Endpoint } from '../../resources/served/endpoint.js';
import type { RequestContext } from './context.js';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** The verbs of the API, as permissions, discovery and metrics name them. */
export type Verb = (typeof VERBS)[number];

/** Whether a request's verb is one of those that resources have. */
export const isVerb = (verb: string): verb is Verb => (VERBS as readonly string[]).includes(verb);

/** A request whose path has been resolved to an endpoint. */
export interface ResourceCall {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The resource and the verb of a request: enough to authorize, to count and to carry it out. */
export interface Route extends ResourceCall {
  readonly verb: Verb;
}

/** The verbs that a process carries out. */
export interface Verbs {
  /** Whether a verb is carried out on a resource ('') or one of its subresources. */
  carriesOut(resource: ResourceDescription, subresource: string, verb: Verb): boolean;
  /** Whether this server carries out what a declaration says of a subresource. */
  servesSubresource(name: string): boolean;
  /** Carries a routed request out. @throws StatusError as the verb does */
  handle(ctx: RequestContext, route: Route): Promise<void>;
}
