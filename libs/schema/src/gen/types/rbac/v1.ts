// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** A set of permissions, for the whole cluster or to be granted by namespace. */
export interface ClusterRole {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** What the role permits. Written by the system when aggregationRule is set. */
  rules?: PolicyRule[];
  /** Collects the rules of other cluster roles into this one. Unset: the rules are as written. */
  aggregationRule?: AggregationRule;
}

/** A collection of ClusterRole objects. */
export interface ClusterRoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterRole[];
}

/** Grants a cluster role to subjects in all namespaces. */
export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Who gets the permissions. Unset: nobody. */
  subjects?: Subject[];
  /** The cluster role that is granted. Cannot be changed. */
  roleRef?: RoleRef;
}

/** A collection of ClusterRoleBinding objects. */
export interface ClusterRoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterRoleBinding[];
}

/** A set of permissions within one namespace. */
export interface Role {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** What the role permits. */
  rules?: PolicyRule[];
}

/** A collection of Role objects. */
export interface RoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Role[];
}

/** Grants a role to subjects within one namespace. */
export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Who gets the permissions. Unset: nobody. */
  subjects?: Subject[];
  /** The role of the same namespace, or the cluster role, that is granted. Cannot be changed. */
  roleRef?: RoleRef;
}

/** A collection of RoleBinding objects. */
export interface RoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: RoleBinding[];
}

/** Which cluster roles are collected into another. */
export interface AggregationRule {
  /** Selects cluster roles by their labels; whatever any of the selectors matches is taken in. */
  clusterRoleSelectors?: meta_v1.LabelSelector[];
}

/** Permits verbs on resources or on paths that are not resources. Rules only ever add permissions. */
export interface PolicyRule {
  /** The verbs that are permitted; "*" for all. */
  verbs?: string[];
  /** The groups of the resources; empty text for the core group, "*" for all. */
  apiGroups?: string[];
  /** The resources, "resource/subresource" for subresources; "*" for all. */
  resources?: string[];
  /** The names of single objects. Unset: all objects. */
  resourceNames?: string[];
  /** Paths that are not resources; a final "*" stands for all that follows. Only in cluster roles, granted for the whole cluster. */
  nonResourceURLs?: string[];
}

/** Names a role. */
export interface RoleRef {
  /** Group of the role. Unset: the group of roles. */
  apiGroup?: string;
  /** Role or ClusterRole. */
  kind?: string;
  /** Name of the role. */
  name?: string;
}

/** Someone who is granted permissions. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind?: string;
  /** Group of the kind; empty for service accounts. Unset: the one that belongs to the kind. */
  apiGroup?: string;
  /** Name of the user, group or service account. */
  name?: string;
  /** Namespace of a service account; must be unset for users and groups. */
  namespace?: string;
}
