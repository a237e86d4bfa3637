// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as admissionregistration_v1 from './v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Expressions that objects must satisfy to be admitted. */
export interface ValidatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingAdmissionPolicy[];
}

/** Puts an admission policy into force, with its parameters. */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ValidatingAdmissionPolicyBindingSpec;
}

/** A collection of ValidatingAdmissionPolicyBinding objects. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ValidatingAdmissionPolicyBinding[];
}

export interface AuditAnnotation {
  key?: string;
  valueExpression?: string;
}

export interface ExpressionWarning {
  fieldRef?: string;
  warning?: string;
}

export interface MatchCondition {
  name?: string;
  expression?: string;
}

export interface MatchResources {
  namespaceSelector?: meta_v1.LabelSelector;
  objectSelector?: meta_v1.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: "Equivalent" | "Exact";
}

export interface NamedRuleWithOperations extends admissionregistration_v1.RuleWithOperations {
  resourceNames?: string[];
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: ("Audit" | "Deny" | "Warn")[];
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: "Fail" | "Ignore";
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
}

export interface ValidatingAdmissionPolicyStatus {
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  typeChecking?: TypeChecking;
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}

export interface Validation {
  expression?: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
}
