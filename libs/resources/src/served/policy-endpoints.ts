import type { Names } from '@orch/machinery';
import type { Endpoint } from './endpoint.js';
import type { ServedResources } from './served-resources.js';

/** The kinds that say who may do what, in the version that is stored. */
export type PolicyEndpoints = Readonly<Record<(typeof RESOURCES)[number], Endpoint>>;

const RESOURCES = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const;

/** All kinds that are declared. */
interface Known {
  readonly names: Names;
  readonly served: Pick<ServedResources, 'current'>;
  /** Kinds that are stored and not served here. */
  readonly unserved: readonly Endpoint[];
}

/** Also where they are not served here: they hold all the same. */
export function policyEndpoints(known: Known): PolicyEndpoints {
  const found = RESOURCES.map((resource) => [resource, storedEndpoint(known, 'rbac.authorization.orch.io', resource)]);
  return Object.fromEntries(found) as PolicyEndpoints;
}

/** A declared kind in the version that is stored, whether it is served or not. */
export function storedEndpoint({ names, served, unserved }: Known, canonicalGroup: string, resource: string): Endpoint {
  const group = names.group(canonicalGroup);
  const all = [...served.current.types, ...unserved];
  const endpoint = all.find(({ definition }) => definition.group === group && definition.resource === resource);
  if (!endpoint) throw new Error(`${resource} are not known`);
  return endpoint;
}
