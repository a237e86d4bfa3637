// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Callbacks that may refuse and change objects on their way in. */
export interface MutatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  webhooks?: MutatingWebhook[];
}

/** A collection of MutatingWebhookConfiguration objects. */
export interface MutatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: MutatingWebhookConfiguration[];
}

/** Callbacks that may refuse objects on their way in. */
export interface ValidatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  webhooks?: ValidatingWebhook[];
}

/** A collection of ValidatingWebhookConfiguration objects. */
export interface ValidatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingWebhookConfiguration[];
}

export interface MatchCondition {
  name?: string;
  expression?: string;
}

export interface MutatingWebhook {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: "Fail" | "Ignore";
  matchPolicy?: "Equivalent" | "Exact";
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  reinvocationPolicy?: "IfNeeded" | "Never";
  matchConditions?: MatchCondition[];
}

export interface Rule {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: "*" | "Cluster" | "Namespaced";
}

export interface RuleWithOperations extends Rule {
  operations?: ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
}

export interface ServiceReference {
  namespace?: string;
  name?: string;
  path?: string;
  port?: number;
}

export interface ValidatingWebhook {
  name?: string;
  clientConfig?: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: "Fail" | "Ignore";
  matchPolicy?: "Equivalent" | "Exact";
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  matchConditions?: MatchCondition[];
}

export interface WebhookClientConfig {
  url?: string;
  service?: ServiceReference;
  caBundle?: string;
}
