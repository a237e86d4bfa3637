import type { ApiDeps } from '../deps.js';
import type { Endpoint } from '../served/endpoint.js';

/** The kinds that say who may do what, in the version that is stored. */
export type PolicyEndpoints = Readonly<Record<(typeof RESOURCES)[number], Endpoint>>;

const RESOURCES = ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings'] as const;

/** Also where they are not served here: they hold all the same. */
export function policyEndpoints({
  names,
  served,
  unserved,
}: Pick<ApiDeps, 'names' | 'served' | 'unserved'>): PolicyEndpoints {
  const group = names.group('rbac.authorization.orch.io');
  const all = [...served.current.types, ...unserved];
  const found = RESOURCES.map((resource) => {
    const endpoint = all.find(({ definition }) => definition.group === group && definition.resource === resource);
    if (!endpoint) throw new Error(`${resource} are not known`);
    return [resource, endpoint] as const;
  });
  return Object.fromEntries(found) as PolicyEndpoints;
}
