// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Asks whether a user may do something within one namespace. */
export interface LocalSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
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
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: SubjectAccessReviewSpec;
  /** The observed state; written by the system. */
  status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

export interface NonResourceRule {
  verbs?: string[];
  nonResourceURLs?: string[];
}

export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
}

export interface ResourceRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
}

export interface SubjectAccessReviewStatus {
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

export interface SubjectRulesReviewStatus {
  resourceRules?: ResourceRule[];
  nonResourceRules?: NonResourceRule[];
  incomplete?: boolean;
  evaluationError?: string;
}
