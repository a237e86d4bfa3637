import type { PolicyRule } from './policy-rule.js';

/** Known state of a Role or a ClusterRole. */
export interface RoleObject {
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  /** Unique in its namespace. */
  readonly name: string;
  /** Labels by which other roles aggregate it. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its rules; of an aggregated role the current aggregate. */
  readonly rules: readonly PolicyRule[];
  /** Selectors of the ClusterRoles that it aggregates; undefined if it does not. */
  readonly aggregates?: readonly RoleSelector[];
}

/** A label selector as clients write it. */
export type RoleSelector = Readonly<Record<string, unknown>>;

/** Subject of a binding. */
export interface Subject {
  /** `User`, `Group` or `ServiceAccount`. */
  readonly kind: string;
  /** Name of a user or group as authentication gives it, or of a service account. */
  readonly name: string;
  /** Namespace of a service account. */
  readonly namespace?: string;
  /** API group of users and groups; absent for a service account. */
  readonly apiGroup?: string;
}

/** Reference to the role of a binding. */
export interface RoleRef {
  /** API group of roles and bindings. */
  readonly apiGroup: string;
  /** `Role`, of the namespace of the binding, or `ClusterRole`. */
  readonly kind: string;
  /** Name; the role need not exist. */
  readonly name: string;
}

/** Known state of a RoleBinding or a ClusterRoleBinding. */
export interface BindingObject {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  /** Unique in its namespace. */
  readonly name: string;
  /** The granted role; immutable. */
  readonly roleRef: RoleRef;
  /** Users, groups and service accounts that it is granted to. */
  readonly subjects: readonly Subject[];
}
