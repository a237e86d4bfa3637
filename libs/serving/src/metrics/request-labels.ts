import { isStream } from '@orch/schema';
import type { Verb } from '../http/route.js';

/** Verbs as the reference system's metrics write them. */
const METRIC_VERB: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};
const APPLY_TYPE = 'application/apply-patch+yaml';

/** Returns the verb of a request for metrics: `CONNECT` for a subresource that streams, `APPLY` for server-side apply. */
export function metricVerb(verb: Verb, contentType: string | undefined, subresource = ''): string {
  if (isStream(subresource)) return 'CONNECT';
  return verb === 'patch' && contentType?.startsWith(APPLY_TYPE) ? 'APPLY' : METRIC_VERB[verb];
}

/** Scope of a request: one object (also one to be created), a namespace, or the whole cluster. */
export function scopeOf(verb: Verb, namespace: string, name: string): 'resource' | 'namespace' | 'cluster' {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** Bounded label: clients may send any value, which must not create a series of its own. */
export function dryRunOf(query: URLSearchParams): '' | 'All' | 'invalid' {
  if (query.size === 0) return '';
  const values = query.getAll('dryRun').filter((value) => value !== '');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Returns the method of a request for metrics; `OTHER` for uncommon ones. */
export const methodLabel = (method: string | undefined): string =>
  method !== undefined && METHODS.has(method) ? method : 'OTHER';

/** Paths that are not resources, longest first; a path below one of them counts as that one. */
const ROOTS = [
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/healthz',
  '/metrics',
  '/version',
  '/readyz',
  '/livez',
  '/apis',
  '/api',
];

/** Returns the root of a path; empty for unknown paths. */
export const rootOf = (path: string): string =>
  ROOTS.find((root) => path === root || path.startsWith(`${root}/`)) ?? '';
