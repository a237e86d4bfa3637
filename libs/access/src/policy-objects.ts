import type { BindingObject, PolicyRule, RoleObject, RoleRef, RoleSelector, Subject } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Row } from '@orch/storage';

/** A Role or ClusterRole object, as the API returns it. */
export interface ApiRole extends ApiObject {
  /** Permissions that the role grants; null or absent for none. */
  rules?: PolicyRule[] | null;
  /**
   * Selects the ClusterRoles whose rules a controller copies into this one; null or absent for a role with rules of its
   * own.
   */
  aggregationRule?: { clusterRoleSelectors?: RoleSelector[] } | null;
}

/** A RoleBinding or ClusterRoleBinding object, as the API returns it. */
export interface ApiBinding extends ApiObject {
  /** Role that is granted. */
  roleRef?: RoleRef;
  /** Users, groups and service accounts that the role is granted to; null or absent for none. */
  subjects?: Subject[] | null;
}

/** @throws ConversionError for a body of a version that this release does not know */
export function readRole(row: Row, endpoint: Endpoint): RoleObject {
  const { metadata, rules, aggregationRule } = fromStored(row, endpoint) as ApiRole;
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  return {
    namespace: row.namespace,
    name: row.name,
    labels: metadata?.labels ?? {},
    rules: rules ?? [],
    ...(selectors.length > 0 && { aggregates: selectors }),
  };
}

/** @throws ConversionError for a body of a version that this release does not know */
export function readBinding(row: Row, endpoint: Endpoint): BindingObject {
  const { roleRef, subjects } = fromStored(row, endpoint) as ApiBinding;
  return {
    namespace: row.namespace,
    name: row.name,
    roleRef: roleRef ?? { apiGroup: '', kind: '', name: '' },
    subjects: subjects ?? [],
  };
}
