// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Callbacks that may refuse and change objects on their way in. */
export interface MutatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The callbacks, each with the requests that it is for. */
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
  /** The callbacks, each with the requests that it is for. */
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

/** An expression that decides whether a request is passed on. */
export interface MatchCondition {
  /** Name of the condition, different from the others; a qualified name. */
  name?: string;
  /** CEL that yields a boolean; may use object, oldObject, request and authorizer. */
  expression?: string;
}

/** A callback that may change an object, or refuse it. */
export interface MutatingWebhook {
  /** Name of the webhook, a domain name of at least three labels, different within the configuration. */
  name?: string;
  /** How the webhook is reached. */
  clientConfig?: WebhookClientConfig;
  /** The requests that it is called for: those that match any one of the rules. */
  rules?: RuleWithOperations[];
  /** When it cannot be reached or answers nonsense: Fail (the default) refuses the request, Ignore goes on. */
  failurePolicy?: "Fail" | "Ignore";
  /** Equivalent (the default) also calls it for other versions of what the rules name, converted; Exact does not. */
  matchPolicy?: "Equivalent" | "Exact";
  /** Only objects in namespaces with labels that match, and such namespaces; other cluster-scoped objects always match. Default: all. */
  namespaceSelector?: meta_v1.LabelSelector;
  /** Only objects, old or new, with labels that match. Default: all objects. */
  objectSelector?: meta_v1.LabelSelector;
  /** None or NoneOnDryRun: whether a call changes anything elsewhere. */
  sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  /** Seconds that a call may take, 1 to 30. Default: 10. */
  timeoutSeconds?: number;
  /** Versions of the review that it understands, the preferred first; the server uses the first that it knows. */
  admissionReviewVersions?: string[];
  /** Never (the default) calls it once; IfNeeded calls it again when a later webhook changed the object. */
  reinvocationPolicy?: "IfNeeded" | "Never";
  /** Expressions that must all be true for it to be called, at most 64. Alpha. */
  matchConditions?: MatchCondition[];
}

/** Resources by group, version and name. */
export interface Rule {
  /** Groups; empty text for the core group. "*" for all, and then alone. */
  apiGroups?: string[];
  /** Versions. "*" for all, and then alone. */
  apiVersions?: string[];
  /** Resources: "pods", "pods/log" for one subresource, "pods/*" for all of them, "*" for all resources without subresources. */
  resources?: string[];
  /** Cluster, Namespaced, or "*" (the default) for both. */
  scope?: "*" | "Cluster" | "Namespaced";
}

/** Operations on resources. */
export interface RuleWithOperations extends Rule {
  /** CREATE, UPDATE, DELETE, CONNECT, or "*" for all, and then alone. */
  operations?: ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
}

/** The service that answers a callback. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace?: string;
  /** Name of the service. */
  name?: string;
  /** Path of the callback. Unset: "/". */
  path?: string;
  /** Port of the service. Default: 443. */
  port?: number;
}

/** A callback that may refuse an object. */
export interface ValidatingWebhook {
  /** Name of the webhook, a domain name of at least three labels, different within the configuration. */
  name?: string;
  /** How the webhook is reached. */
  clientConfig?: WebhookClientConfig;
  /** The requests that it is called for: those that match any one of the rules. */
  rules?: RuleWithOperations[];
  /** When it cannot be reached or answers nonsense: Fail (the default) refuses the request, Ignore goes on. */
  failurePolicy?: "Fail" | "Ignore";
  /** Equivalent (the default) also calls it for other versions of what the rules name, converted; Exact does not. */
  matchPolicy?: "Equivalent" | "Exact";
  /** Only objects in namespaces with labels that match, and such namespaces; other cluster-scoped objects always match. Default: all. */
  namespaceSelector?: meta_v1.LabelSelector;
  /** Only objects, old or new, with labels that match. Default: all objects. */
  objectSelector?: meta_v1.LabelSelector;
  /** None or NoneOnDryRun: whether a call changes anything elsewhere. */
  sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  /** Seconds that a call may take, 1 to 30. Default: 10. */
  timeoutSeconds?: number;
  /** Versions of the review that it understands, the preferred first; the server uses the first that it knows. */
  admissionReviewVersions?: string[];
  /** Expressions that must all be true for it to be called, at most 64. Alpha. */
  matchConditions?: MatchCondition[];
}

/** How a callback is reached. Exactly one of url and service is set. */
export interface WebhookClientConfig {
  /** Address in the form "https://host:port/path"; without user, query and fragment. */
  url?: string;
  /** A service in the cluster. */
  service?: ServiceReference;
  /** Certificates as PEM, in base64, that the callback's own must stem from. Unset: those that the server's system trusts. */
  caBundle?: string;
}
