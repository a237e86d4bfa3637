// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Asks whether a user may do something within one namespace. */
export interface LocalSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: SubjectAccessReviewSpec;
  /** The observed state; written by the system. */
  status?: SubjectAccessReviewStatus;
}

/** Asks whether the caller itself may do something. */
export interface SelfSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: SelfSubjectAccessReviewSpec;
  /** The observed state; written by the system. */
  status?: SubjectAccessReviewStatus;
}

/** Lists what the caller may do within one namespace. For display, not for decisions. */
export interface SelfSubjectRulesReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: SelfSubjectRulesReviewSpec;
  /** The observed state; written by the system. */
  status?: SubjectRulesReviewStatus;
}

/** Asks whether a user may do something. */
export interface SubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: SubjectAccessReviewSpec;
  /** The observed state; written by the system. */
  status?: SubjectAccessReviewStatus;
}

/** A request for a path that is not a resource. */
export interface NonResourceAttributes {
  /** The path. */
  path?: string;
  /** The HTTP method in lower case. */
  verb?: string;
}

/** What is permitted on paths that are not resources. */
export interface NonResourceRule {
  /** The verbs that are permitted; "*" for all. */
  verbs?: string[];
  /** The paths; a final "*" stands for all that follows. */
  nonResourceURLs?: string[];
}

/** A request for a resource. */
export interface ResourceAttributes {
  /** The namespace. Empty: all namespaces, or none for cluster-scoped resources. */
  namespace?: string;
  /** Verb in lower case such as get, list, watch, create, update or delete; "*" for all. */
  verb?: string;
  /** Group of the resource; empty for the core group, "*" for all. */
  group?: string;
  /** Version of the resource; "*" for all. */
  version?: string;
  /** Plural name of the resource; "*" for all. */
  resource?: string;
  /** Name of the subresource. Empty: none. */
  subresource?: string;
  /** Name of the object for single-object verbs. Empty: all objects. */
  name?: string;
}

/** What is permitted on resources. The order of rules does not matter. */
export interface ResourceRule {
  /** The verbs that are permitted; "*" for all. */
  verbs?: string[];
  /** The groups of the resources; empty text for the core group, "*" for all. */
  apiGroups?: string[];
  /** The resources, "resource/subresource" for subresources; "*" for all. */
  resources?: string[];
  /** The names of single objects. Unset: all objects. */
  resourceNames?: string[];
}

/** The request in question. Exactly one field is set. */
export interface SelfSubjectAccessReviewSpec {
  /** A request for a resource. */
  resourceAttributes?: ResourceAttributes;
  /** A request for another path. */
  nonResourceAttributes?: NonResourceAttributes;
}

/** Where the permissions are asked for. */
export interface SelfSubjectRulesReviewSpec {
  /** The namespace. Required. */
  namespace?: string;
}

/** Who would make which request. Exactly one of resourceAttributes and nonResourceAttributes is set. */
export interface SubjectAccessReviewSpec {
  /** A request for a resource. */
  resourceAttributes?: ResourceAttributes;
  /** A request for another path. */
  nonResourceAttributes?: NonResourceAttributes;
  /** Name of the user. This or groups must be set. */
  user?: string;
  /** Groups of the user. With groups and no user, someone who is only in these groups. */
  groups?: string[];
  /** More about the user, by key. */
  extra?: Record<string, string[]>;
  /** Uid of the user. */
  uid?: string;
}

/** Whether the request would be let through. */
export interface SubjectAccessReviewStatus {
  /** Whether it is allowed. */
  allowed?: boolean;
  /** Whether it is refused for good. With both this and allowed false, nobody has an opinion, and it is not let through. */
  denied?: boolean;
  /** Why it is allowed or not. */
  reason?: string;
  /** What went wrong while deciding; a decision may stand all the same. */
  evaluationError?: string;
}

/** What is permitted. */
export interface SubjectRulesReviewStatus {
  /** Permissions on resources. */
  resourceRules?: ResourceRule[];
  /** Permissions on other paths. */
  nonResourceRules?: NonResourceRule[];
  /** True when not all permissions could be listed. */
  incomplete?: boolean;
  /** Why the list is not complete. */
  evaluationError?: string;
}
