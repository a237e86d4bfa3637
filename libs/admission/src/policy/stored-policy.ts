import type { LabelSelectorObject } from '@orch/machinery';
import type { MatchCondition } from '../matching/conditions.js';
import type { MatchCriteria } from '../matching/match.js';
import type { Rule } from '../matching/rules.js';
import type { ParamKind } from './policy-surroundings.js';

/** `spec` of a ValidatingAdmissionPolicy as it is stored. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly validations?: readonly StoredValidation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly StoredAnnotation[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly StoredVariable[];
}

/** An expression with a name. */
export interface StoredVariable {
  readonly name: string;
  readonly expression: string;
}

/** What must hold of a request. */
export interface StoredValidation {
  readonly expression: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

/** What is noted of a request. */
export interface StoredAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

/** `spec` of a ValidatingAdmissionPolicyBinding as it is stored. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}

/** By which objects a policy is told: one by its name, or those with certain labels. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelectorObject;
  readonly parameterNotFoundAction?: string;
}

/** Which requests are meant. */
interface MatchResources {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly matchPolicy?: string;
}

/** Without rules every request is meant. */
export const criteriaOf = (match: MatchResources): MatchCriteria => ({
  rules: match.resourceRules?.length ? match.resourceRules : undefined,
  excludeRules: match.excludeResourceRules ?? [],
  matchPolicy: match.matchPolicy === 'Equivalent' ? 'Equivalent' : 'Exact',
  namespaceSelector: match.namespaceSelector,
  objectSelector: match.objectSelector,
});
