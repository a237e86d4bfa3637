// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** A set of permissions, for the whole cluster or to be granted by namespace. */
export interface ClusterRole {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  rules?: PolicyRule[];
  aggregationRule?: AggregationRule;
}

/** A collection of ClusterRole objects. */
export interface ClusterRoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterRole[];
}

/** Grants a cluster role to subjects in all namespaces. */
export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
}

/** A collection of ClusterRoleBinding objects. */
export interface ClusterRoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterRoleBinding[];
}

/** A set of permissions within one namespace. */
export interface Role {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  rules?: PolicyRule[];
}

/** A collection of Role objects. */
export interface RoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Role[];
}

/** Grants a role to subjects within one namespace. */
export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  subjects?: Subject[];
  roleRef?: RoleRef;
}

/** A collection of RoleBinding objects. */
export interface RoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: RoleBinding[];
}

export interface AggregationRule {
  clusterRoleSelectors?: meta_v1.LabelSelector[];
}

export interface PolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface RoleRef {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface Subject {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
}
