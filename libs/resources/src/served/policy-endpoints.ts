import type { Names } from '@orch/machinery';
import type { Endpoint } from './endpoint.js';
import type { ServedResources } from './served-resources.js';

/** Endpoints of the kinds that authorize requests, in the storage version. */
export type PolicyEndpoints = Readonly<Record<(typeof RESOURCES)[number], Endpoint>>;

const RESOURCES = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const;

/** All declared kinds. */
interface Known {
  readonly names: Names;
  readonly served: Pick<ServedResources, 'current'>;
  /** Kinds that are stored but not served by this process. */
  readonly unserved: readonly Endpoint[];
}

/** Returns the endpoints, also of kinds that are not served here: policies are in force all the same. */
export function policyEndpoints(known: Known): PolicyEndpoints {
  const found = RESOURCES.map((resource) => [resource, storedEndpoint(known, 'rbac.authorization.orch.io', resource)]);
  return Object.fromEntries(found) as PolicyEndpoints;
}

/** Returns a declared kind in its storage version, whether that is served or not. */
export function storedEndpoint({ names, served, unserved }: Known, canonicalGroup: string, resource: string): Endpoint {
  const group = names.group(canonicalGroup);
  const all = [...served.current.types, ...unserved];
  const endpoint = all.find(({ definition }) => definition.group === group && definition.resource === resource);
  if (!endpoint) throw new Error(`${resource} are not known`);
  return endpoint;
}
