import type { PolicyRule } from './policy-rule.js';

/** What is known of a Role or a ClusterRole. */
export interface RoleObject {
  /** Empty for a ClusterRole. */
  readonly namespace: string;
  /** Unique in its namespace. */
  readonly name: string;
  /** By which it becomes part of others. */
  readonly labels: Readonly<Record<string, string>>;
  /** What it lets do; of one that is made of others what it is made of by now. */
  readonly rules: readonly PolicyRule[];
  /** Selectors of the ClusterRoles that it is made of; undefined where it is not. */
  readonly aggregates?: readonly RoleSelector[];
}

/** A label selector as clients write it. */
export type RoleSelector = Readonly<Record<string, unknown>>;

/** Whom a binding is for. */
export interface Subject {
  /** `User`, `Group` or `ServiceAccount`. */
  readonly kind: string;
  /** Of a user or group as authentication names it. */
  readonly name: string;
  /** Of a service account. */
  readonly namespace?: string;
  /** The group of roles and bindings; absent for a service account. */
  readonly apiGroup?: string;
}

/** The role that a binding gives. */
export interface RoleRef {
  /** The group of roles and bindings. */
  readonly apiGroup: string;
  /** `Role`, of the namespace of the binding, or `ClusterRole`. */
  readonly kind: string;
  /** It need not be there. */
  readonly name: string;
}

/** What is known of a RoleBinding or a ClusterRoleBinding. */
export interface BindingObject {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  /** Unique in its namespace. */
  readonly name: string;
  /** What it gives; never changes. */
  readonly roleRef: RoleRef;
  /** Whom it gives that to. */
  readonly subjects: readonly Subject[];
}
