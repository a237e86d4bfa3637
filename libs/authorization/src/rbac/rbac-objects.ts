import type { PolicyRule } from './policy-rule.js';

/** What is known of a Role or a ClusterRole. */
export interface RoleObject {
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** Selectors of the ClusterRoles that it is made of; undefined where it is not. */
  readonly aggregates?: readonly RoleSelector[];
}

/** A label selector as clients write it. */
export type RoleSelector = Readonly<Record<string, unknown>>;

/** Whom a binding is for. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  /** Of a service account. */
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** The role that a binding gives. */
export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** What is known of a RoleBinding or a ClusterRoleBinding. */
export interface BindingObject {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}
