// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Assigns requests to a priority level. */
export interface FlowSchema {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: FlowSchema[];
}

/** The share of the server that a class of requests gets. */
export interface PriorityLevelConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PriorityLevelConfiguration[];
}

/** How the requests of a schema are divided into flows. */
export interface FlowDistinguisherMethod {
  /** ByUser or ByNamespace. */
  type?: string;
}

/** One aspect of the state of a flow schema. */
export interface FlowSchemaCondition {
  /** What the condition is about. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** Which requests belong to a schema and where they go. */
export interface FlowSchemaSpec {
  /** The priority level for the requests. While it does not exist the schema is passed over. */
  priorityLevelConfiguration?: PriorityLevelConfigurationReference;
  /** When several schemas match, the lowest number wins; 1 to 10000. Default: 1000. */
  matchingPrecedence?: number;
  /** How the requests are divided into flows that get fair shares. Unset: all are one flow. */
  distinguisherMethod?: FlowDistinguisherMethod;
  /** The requests concerned: those that match any one of the rules. Unset: none. */
  rules?: PolicyRulesWithSubjects[];
}

/** The state of a flow schema. */
export interface FlowSchemaStatus {
  /** Observed conditions. */
  conditions?: FlowSchemaCondition[];
}

/** The users of a group. */
export interface GroupSubject {
  /** Name of the group; "*" for all. */
  name?: string;
}

/** What happens to requests that cannot run at once. */
export interface LimitResponse {
  /** Queue lets them wait, Reject refuses them. */
  type?: string;
  /** The queues. Only allowed when the type is Queue. */
  queuing?: QueuingConfiguration;
}

/** The limits of a priority level. */
export interface LimitedPriorityLevelConfiguration {
  /** Its share of the requests that the server runs at once, in proportion to the shares of all levels. Default: 30. */
  assuredConcurrencyShares?: number;
  /** What happens to requests above the limit. */
  limitResponse?: LimitResponse;
  /** How much of its share other levels may borrow, 0 to 100 percent. Default: 0. */
  lendablePercent?: number;
  /** How much it may borrow from others, in percent of its own share. Unset: no limit. */
  borrowingLimitPercent?: number;
}

/** Requests for paths that are not resources. */
export interface NonResourcePolicyRule {
  /** Verbs in lower case; "*" for all, and then alone. */
  verbs?: string[];
  /** Paths that begin with "/"; a final "*" after a slash stands for what follows, "*" alone for all. */
  nonResourceURLs?: string[];
}

/** Requests by who makes them and what they do. Both must match. */
export interface PolicyRulesWithSubjects {
  /** Who makes the request: any one of these. */
  subjects?: Subject[];
  /** Requests for resources. This or nonResourceRules must be set. */
  resourceRules?: ResourcePolicyRule[];
  /** Requests for other paths. */
  nonResourceRules?: NonResourcePolicyRule[];
}

/** One aspect of the state of a priority level. */
export interface PriorityLevelConfigurationCondition {
  /** What the condition is about. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** Names a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the priority level. */
  name?: string;
}

/** How a priority level treats requests. */
export interface PriorityLevelConfigurationSpec {
  /** Exempt never holds a request back, Limited does by the limits given. */
  type?: string;
  /** The limits. Required when the type is Limited, forbidden otherwise. */
  limited?: LimitedPriorityLevelConfiguration;
}

/** The state of a priority level. */
export interface PriorityLevelConfigurationStatus {
  /** Observed conditions. */
  conditions?: PriorityLevelConfigurationCondition[];
}

/** The queues of a priority level. */
export interface QueuingConfiguration {
  /** Number of queues. More of them have fewer flows collide; 1 means no fairness. Default: 64. */
  queues?: number;
  /** Number of queues that each flow is dealt, of which it uses the shortest; at most the number of queues. Default: 8. */
  handSize?: number;
  /** How many requests may wait in one queue; more are refused. Default: 50. */
  queueLengthLimit?: number;
}

/** Requests for resources. All fields must match. */
export interface ResourcePolicyRule {
  /** Verbs in lower case; "*" for all, and then alone. */
  verbs?: string[];
  /** Groups; empty text for the core group. "*" for all, and then alone. */
  apiGroups?: string[];
  /** Resources, "resource/subresource" for subresources; "*" for all, and then alone. */
  resources?: string[];
  /** Also takes in requests that name no namespace. Default: false. */
  clusterScope?: boolean;
  /** Namespaces that the request may be for; "*" for all, and then alone. Unset needs clusterScope. */
  namespaces?: string[];
}

/** A service account. */
export interface ServiceAccountSubject {
  /** Namespace of the service account. */
  namespace?: string;
  /** Name of the service account; "*" for all of the namespace. */
  name?: string;
}

/** Who makes a request. The field that the kind names must be set. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind?: string;
  /** A user by name. */
  user?: UserSubject;
  /** The users of a group. */
  group?: GroupSubject;
  /** A service account. */
  serviceAccount?: ServiceAccountSubject;
}

/** A user. */
export interface UserSubject {
  /** Name of the user; "*" for all. */
  name?: string;
}
