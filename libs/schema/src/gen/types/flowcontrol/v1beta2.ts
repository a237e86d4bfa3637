// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Assigns requests to a priority level. */
export interface FlowSchema {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: FlowSchemaSpec;
  /** The observed state; written by the system. */
  status?: FlowSchemaStatus;
}

/** A collection of FlowSchema objects. */
export interface FlowSchemaList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: FlowSchema[];
}

/** The share of the server that a class of requests gets. */
export interface PriorityLevelConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PriorityLevelConfigurationSpec;
  /** The observed state; written by the system. */
  status?: PriorityLevelConfigurationStatus;
}

/** A collection of PriorityLevelConfiguration objects. */
export interface PriorityLevelConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PriorityLevelConfiguration[];
}

export interface FlowDistinguisherMethod {
  type?: string;
}

export interface FlowSchemaCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface FlowSchemaSpec {
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  matchingPrecedence?: number;
  distinguisherMethod?: FlowDistinguisherMethod;
  rules?: PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  /** Observed conditions. */
  conditions?: FlowSchemaCondition[];
}

export interface GroupSubject {
  name?: string;
}

export interface LimitResponse {
  type?: string;
  queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  assuredConcurrencyShares?: number;
  limitResponse?: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  verbs?: string[];
  nonResourceURLs?: string[];
}

export interface PolicyRulesWithSubjects {
  subjects?: Subject[];
  resourceRules?: ResourcePolicyRule[];
  nonResourceRules?: NonResourcePolicyRule[];
}

export interface PriorityLevelConfigurationCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface PriorityLevelConfigurationReference {
  name?: string;
}

export interface PriorityLevelConfigurationSpec {
  type?: string;
  limited?: LimitedPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  /** Observed conditions. */
  conditions?: PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  clusterScope?: boolean;
  namespaces?: string[];
}

export interface ServiceAccountSubject {
  namespace?: string;
  name?: string;
}

export interface Subject {
  kind?: string;
  user?: UserSubject;
  group?: GroupSubject;
  serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  name?: string;
}
