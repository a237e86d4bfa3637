import type { LabelSelectorObject } from '@orch/machinery';
import type { MatchCondition } from '../matching/conditions.js';
import type { MatchCriteria } from '../matching/match.js';
import type { Rule } from '../matching/rules.js';
import type { ParamKind } from './policy-services.js';

/** `spec` of a ValidatingAdmissionPolicy as it is stored. */
export interface PolicySpec {
  /** Kind of the parameters. */
  readonly paramKind?: ParamKind;
  /** Requests that the policy applies to. */
  readonly matchConstraints?: MatchResources;
  /** Validations. */
  readonly validations?: readonly StoredValidation[];
  /** Treatment of failures: `Fail` or `Ignore`. */
  readonly failurePolicy?: string;
  /** Audit annotations. */
  readonly auditAnnotations?: readonly StoredAnnotation[];
  /** Conditions that a request must meet. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Variables that other expressions may use. */
  readonly variables?: readonly StoredVariable[];
}

/** A variable: an expression with a name. */
export interface StoredVariable {
  /** Name, by which expressions refer to it. */
  readonly name: string;
  /** CEL expression of its value. */
  readonly expression: string;
}

/** A validation: an expression that must be true for a request. */
export interface StoredValidation {
  /** CEL expression, which evaluates to a bool. */
  readonly expression: string;
  /** Message of a denial. */
  readonly message?: string;
  /** Reason of a denial. */
  readonly reason?: string;
  /** CEL expression of the message, which takes precedence over `message`. */
  readonly messageExpression?: string;
}

/** An audit annotation of a policy. */
export interface StoredAnnotation {
  /** Key, which is qualified by the name of the policy. */
  readonly key: string;
  /** CEL expression of the value; null for no annotation. */
  readonly valueExpression: string;
}

/** `spec` of a ValidatingAdmissionPolicyBinding as it is stored. */
export interface BindingSpec {
  /** Name of the policy. */
  readonly policyName?: string;
  /** Parameters for the policy. */
  readonly paramRef?: ParamRef;
  /** Requests that the binding applies to, among those of the policy. */
  readonly matchResources?: MatchResources;
  /** Actions for failed validations: `Deny`, `Audit`, `Warn`. */
  readonly validationActions?: readonly string[];
}

/** Selects the parameters of a policy: one object by its name, or all with certain labels. */
export interface ParamRef {
  /** Name of the object. */
  readonly name?: string;
  /** Namespace of the objects; by default that of the request. */
  readonly namespace?: string;
  /** Selector for the labels of the objects. */
  readonly selector?: LabelSelectorObject;
  /** Outcome without parameters: `Allow` or `Deny`. */
  readonly parameterNotFoundAction?: string;
}

/** Criteria for the requests that a policy or binding applies to. */
interface MatchResources {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly matchPolicy?: string;
}

/** Returns criteria for the matcher; without rules every request matches. */
export const criteriaOf = (match: MatchResources): MatchCriteria => ({
  rules: match.resourceRules?.length ? match.resourceRules : undefined,
  excludeRules: match.excludeResourceRules ?? [],
  matchPolicy: match.matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
  namespaceSelector: match.namespaceSelector,
  objectSelector: match.objectSelector,
});
