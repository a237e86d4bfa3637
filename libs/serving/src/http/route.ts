import type { Endpoint } from '@orch/resources';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** The verbs of the API, as permissions, discovery and metrics name them. */
export type Verb = (typeof VERBS)[number];

/** Whether a request's verb is one of those that resources have. */
export const isVerb = (verb: string): verb is Verb => (VERBS as readonly string[]).includes(verb);

/** A request whose path has been resolved to an endpoint. */
export interface ResourceCall {
  /** Endpoint that the path names. */
  readonly endpoint: Endpoint;
  /** Namespace in the path; empty for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  /** Object name in the path; empty for a collection. */
  readonly name: string;
  /** Subresource in the path; empty for the object itself. */
  readonly subresource: string;
}

/** The resource and the verb of a request: enough to authorize, to count and to carry it out. */
export interface Route extends ResourceCall {
  readonly verb: Verb;
}
