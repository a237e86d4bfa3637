import type { Endpoint } from '@orch/resources';

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** Verbs of the API, as in authorization, discovery and metrics. */
export type Verb = (typeof VERBS)[number];

/** Whether a request's verb is one for resources. */
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

/** Resource and verb of a request: enough to authorize, count and execute it. */
export interface Route extends ResourceCall {
  readonly verb: Verb;
}
