// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as admissionregistration_v1 from './v1.js';
import type * as meta_v1 from '../meta/v1.js';

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

/** A collection of ValidatingAdmissionPolicy objects. */
export interface ValidatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingAdmissionPolicy[];
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

/** An expression that decides whether a policy looks at a request. */
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

/** Operations on resources, or on single objects of them. */
export interface NamedRuleWithOperations extends admissionregistration_v1.RuleWithOperations {
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
  /** What happens when there are none: Allow lets the request pass, Deny (the default) has the policy's failurePolicy decide. */
  parameterNotFoundAction?: "Allow" | "Deny";
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
