// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Callbacks that may refuse and change objects on their way in. */
export interface MutatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The callbacks, each with the requests that it is for. */
  webhooks?: MutatingWebhook[];
}

/** A collection of MutatingWebhookConfiguration objects. */
export interface MutatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: MutatingWebhookConfiguration[];
}

/** Expressions that objects must satisfy to be admitted. */
export interface ValidatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ValidatingAdmissionPolicySpec;
  /** The observed state; written by the system. */
  status?: ValidatingAdmissionPolicyStatus;
}

/** Puts an admission policy into force, with its parameters. */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

/** A collection of ValidatingAdmissionPolicyBinding objects. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingAdmissionPolicyBinding[];
}

/** A collection of ValidatingAdmissionPolicy objects. */
export interface ValidatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingAdmissionPolicy[];
}

/** Callbacks that may refuse objects on their way in. */
export interface ValidatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The callbacks, each with the requests that it is for. */
  webhooks?: ValidatingWebhook[];
}

/** A collection of ValidatingWebhookConfiguration objects. */
export interface ValidatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingWebhookConfiguration[];
}

/** A note that a policy adds to the audit log. */
export interface AuditAnnotation {
  /** Key of the note, different from the others of the policy; the name of the policy is put before it. */
  key?: string;
  /** CEL that yields the text, or null for no note. Longer than 10 KiB it is cut off. */
  valueExpression?: string;
}

/** What is doubtful about one expression. */
export interface ExpressionWarning {
  /** Path of the expression in the policy. */
  fieldRef?: string;
  /** A sentence for people on what was found. */
  warning?: string;
}

/** An expression that decides whether a request is passed on. */
export interface MatchCondition {
  /** Name of the condition, different from the others; a qualified name. */
  name?: string;
  /** CEL that yields a boolean; may use object, oldObject, request and authorizer. */
  expression?: string;
}

/** Which requests are concerned. All that is set must match. */
export interface MatchResources {
  /** Only objects in namespaces with labels that match, and such namespaces; other cluster-scoped objects always match. Default: all. */
  namespaceSelector?: meta_v1.LabelSelector;
  /** Only objects, old or new, with labels that match. Default: all. */
  objectSelector?: meta_v1.LabelSelector;
  /** The operations and resources concerned: those that match any one of the rules. */
  resourceRules?: NamedRuleWithOperations[];
  /** Operations and resources that are left out, whatever resourceRules say. */
  excludeResourceRules?: NamedRuleWithOperations[];
  /** Equivalent (the default) also takes in other versions of what the rules name; Exact does not. */
  matchPolicy?: "Equivalent" | "Exact";
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

/** Operations on resources, or on single objects of them. */
export interface NamedRuleWithOperations extends RuleWithOperations {
  /** Names of objects. Unset: all objects. */
  resourceNames?: string[];
}

/** The kind of objects that hold parameters. */
export interface ParamKind {
  /** Group-version of the kind. */
  apiVersion?: string;
  /** The kind. */
  kind?: string;
}

/** The objects that hold the parameters: one by its name, or those with certain labels. */
export interface ParamRef {
  /** Name of the object. This or selector must be set. */
  name?: string;
  /** Namespace of the objects; must be unset for cluster-scoped kinds. Unset for others: that of the request. */
  namespace?: string;
  /** Only objects with labels that match; what is demanded must hold with each of them. */
  selector?: meta_v1.LabelSelector;
  /** What happens when there are none: Allow lets the request pass, Deny has the policy's failurePolicy decide. Required. */
  parameterNotFoundAction?: "Allow" | "Deny";
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

/** What checking the expressions of a policy found. */
export interface TypeChecking {
  /** The findings. Unset: none. */
  expressionWarnings?: ExpressionWarning[];
}

/** Which policy applies where, with which parameters, and what follows. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. While there is none, the binding has no effect. */
  policyName?: string;
  /** The objects with the parameters, of the kind that the policy names. */
  paramRef?: ParamRef;
  /** Narrows down the requests that the policy concerns. Unset: all of them. */
  matchResources?: MatchResources;
  /** What happens on a violation: Deny refuses, Warn warns the client, Audit notes it. Deny and Warn exclude each other. */
  validationActions?: ("Audit" | "Deny" | "Warn")[];
}

/** What a policy looks at and what it demands. */
export interface ValidatingAdmissionPolicySpec {
  /** The kind of the parameters. Unset: there are none, and "params" is null in expressions. */
  paramKind?: ParamKind;
  /** The requests that the policy concerns. Required. */
  matchConstraints?: MatchResources;
  /** What must hold. This or auditAnnotations must be set. */
  validations?: Validation[];
  /** What happens when an expression cannot be evaluated: Fail (the default) as on a violation, Ignore goes on. */
  failurePolicy?: "Fail" | "Ignore";
  /** Notes for the audit log, at most 20. */
  auditAnnotations?: AuditAnnotation[];
  /** Expressions that must all be true for the policy to look at a request, at most 64. */
  matchConditions?: MatchCondition[];
  /** Expressions with names, by which those behind them and all of validations and auditAnnotations may use their values: variables.NAME. Evaluated when they are first used. */
  variables?: Variable[];
}

/** What the system made of a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** What checking the expressions found. Unset: not checked yet. */
  typeChecking?: TypeChecking;
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
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

/** One demand on objects. */
export interface Validation {
  /** CEL that yields true for good objects; may use object, oldObject, request, params, authorizer and variables. */
  expression?: string;
  /** What is said on a violation, on one line. Unset: a text that names the expression. */
  message?: string;
  /** Reason in the status on a violation: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. Unset: Invalid. */
  reason?: string;
  /** CEL that yields what is said on a violation; wins over message. */
  messageExpression?: string;
}

/** An expression with a name. */
export interface Variable {
  /** Name of the variable, different from the others; an identifier of CEL. */
  name?: string;
  /** CEL of any type; may use what validations may, and the variables before it. */
  expression?: string;
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
