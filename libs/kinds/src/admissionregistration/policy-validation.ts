import { type CelType, composedType, isName } from '@orch/expressions';
import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  pathSegmentErrors,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type {
  AuditAnnotation,
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '@orch/schema/types/admissionregistration/v1beta1';
import { givenOneOf, invalidEach, isOneOf } from '../rules/checks.js';
import { validateConditions } from '../rules/conditions.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { each, refuseRepeated } from '../rules/lists.js';
import { filled } from '../values/edited.js';
import { equal } from '../values/equal.js';
import { isObject } from '../values/fields.js';
import { shownList } from '../values/go-values.js';
import { validateMatchConditions } from './match-conditions.js';
import { checkedExpression, type ExpressionRules, expressionErrors, storedExpressions } from './policy-expressions.js';
import { validateRule } from './rule-validation.js';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NOT_FOUND_ACTIONS = ['Allow', 'Deny'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MAX_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

/**
 * Checks a policy in steps, as its expressions are compiled. `old` is the stored one, in an update.
 * @param later whether expressions may use features newer than release 1.27
 */
export function* policySteps(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  later: boolean,
): Steps {
  const parameters = spec?.paramKind;
  const match = spec?.matchConstraints;
  const field = 'spec.matchConstraints';
  const same = (['paramKind', 'matchConditions'] as const).every((name) => equal(spec?.[name], old?.spec?.[name]));
  yield [
    ...givenOneOf('spec.failurePolicy', spec?.failurePolicy, FAILURE_POLICIES),
    ...(parameters ? validateParamKind(parameters, 'spec.paramKind') : []),
    ...(match ? validateMatch(match, field) : [required(field)]),
    ...(match && (match.resourceRules ?? []).length === 0 ? [required(`${field}.resourceRules`)] : []),
    ...(old && same
      ? []
      : validateMatchConditions(spec?.matchConditions ?? [], 'spec.matchConditions', isObject(parameters))),
  ];
  const variables = spec?.variables ?? [];
  const rules = { params: isObject(parameters), later, stored: storedExpressions(old?.spec), variables: undefined };
  const composed = variables.length === 0 ? rules : yield* variableSteps(variables, 'spec.variables', rules);
  yield* workSteps(spec, metadata?.name ?? '', composed);
}

type Steps = Generator<FieldError[], void>;

/** Checks the variables, each with those before it. @returns the rules for the expressions after them */
function* variableSteps(
  variables: readonly Variable[],
  path: string,
  rules: ExpressionRules,
): Generator<FieldError[], ExpressionRules> {
  const types = new Map<string, CelType>();
  const composed = { ...rules, variables: types };
  for (const [at, variable] of variables.entries()) {
    const [name, expression] = [variable.name ?? '', variable.expression ?? ''];
    const field = `${path}[${at}].expression`;
    yield validateVariableName(name, `${path}[${at}].name`);
    const { errors, type } =
      expression.trim() === ''
        ? { errors: [required(field, 'expression is not specified')] }
        : yield* checkedExpression(expression, field, undefined, composed);
    yield errors;
    types.set(name, composedType(type));
  }
  // Variables without a name have already been refused.
  const names = variables.map((variable, at) => variable.name || `${at}/`);
  yield refuseRepeated(names, path, '.name');
  return composed;
}

function validateVariableName(name: string, field: string): FieldError[] {
  if (name.trim() === '') return [required(field, 'name is not specified')];
  return isName(name) ? [] : [invalidValue(field, name, 'name is not a valid CEL identifier')];
}

function* workSteps(spec: ValidatingAdmissionPolicySpec | undefined, name: string, rules: ExpressionRules): Steps {
  const [validations, annotations] = [spec?.validations ?? [], spec?.auditAnnotations ?? []];
  const field = 'spec.auditAnnotations';
  if (validations.length + annotations.length === 0) {
    yield [required('spec.validations', NOTHING_TO_DO), required(field, NOTHING_TO_DO)];
    return;
  }
  const keys = annotations.map((annotation) => annotation.key ?? '');
  const many = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
  for (const [at, validation] of validations.entries()) {
    yield yield* validateValidation(validation, `spec.validations[${at}]`, rules);
  }
  yield annotations.length > MAX_ANNOTATIONS ? [invalidValue(field, annotations, many)] : [];
  for (const [at, annotation] of annotations.slice(0, MAX_ANNOTATIONS).entries()) {
    yield yield* validateAnnotation(annotation, `${field}[${at}]`, name, rules);
  }
  yield refuseRepeated(keys, field, '.key');
}

/** Steps of a check that returns its errors; the steps themselves yield none. */
type Errors = Generator<FieldError[], FieldError[]>;

function* validateValidation(validation: Validation, path: string, rules: ExpressionRules): Errors {
  const [message, expression] = [validation.message ?? '', validation.messageExpression ?? ''];
  const blank = (text: string) => text !== '' && text.trim() === '';
  const errors: FieldError[] = [];
  const condition = validation.expression ?? '';
  if (condition.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
  else errors.push(...(yield* expressionErrors(condition, `${path}.expression`, ['bool'], rules)));
  const field = `${path}.messageExpression`;
  if (blank(expression)) errors.push(invalidValue(field, expression, 'must be non-empty if specified'));
  else if (expression !== '') errors.push(...(yield* expressionErrors(expression, field, ['string'], rules, false)));
  if (blank(message)) {
    errors.push(invalidValue(`${path}.message`, message, 'message must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(`${path}.message`, message, 'message must not contain line breaks'));
  }
  return [...errors, ...isOneOf(`${path}.reason`, validation.reason, REASONS)];
}

function* validateAnnotation(annotation: AuditAnnotation, path: string, name: string, rules: ExpressionRules): Errors {
  const key = `${name}/${annotation.key ?? ''}`;
  const expression = (annotation.valueExpression ?? '').trim();
  const field = `${path}.valueExpression`;
  const errors = invalidEach(`${path}.key`, key, qualifiedNameErrors(key));
  if (expression === '') return [...errors, required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(expression) > MAX_VALUE_EXPRESSION_BYTES)
    return [...errors, required(field, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`)];
  return [...errors, ...(yield* expressionErrors(expression, field, ['string', 'null_type'], rules))];
}

function validateParamKind(kind: ParamKind, path: string): FieldError[] {
  const name = kind.kind ?? '';
  const wrong = dns1035LabelErrors(name.toLowerCase());
  const text = `may have mixed case, but should otherwise match: ${wrong.join(',')}`;
  return [
    ...validateApiVersion(kind.apiVersion ?? '', `${path}.apiVersion`),
    ...(name === '' ? [required(`${path}.kind`)] : wrong.length > 0 ? [invalidValue(`${path}.kind`, name, text)] : []),
  ];
}

function validateApiVersion(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const parts = text.split('/');
  if (parts.length > 2) return [invalidValue(field, text, `unexpected GroupVersion string: ${text}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const refuse = (value: string, errors: string[]) =>
    errors.length > 0 ? [invalidValue(field, value, errors.join(','))] : [];
  return [
    ...(group === '' ? [] : refuse(group, dnsSubdomainErrors(group))),
    ...(version === '' ? refuse(text, ['version must be specified']) : refuse(version, dns1035LabelErrors(version))),
  ];
}

/** Checks the match criteria. Errors use the name of the object selector that clients know. */
function validateMatch(match: MatchResources, path: string): FieldError[] {
  const selector = (name: 'namespaceSelector' | 'objectSelector', field: string) =>
    match[name] ? validateLabelSelector(match[name], field) : [required(field)];
  return [
    ...givenOneOf(`${path}.matchPolicy`, match.matchPolicy, MATCH_POLICIES),
    ...selector('namespaceSelector', `${path}.namespaceSelector`),
    ...selector('objectSelector', `${path}.labelSelector`),
    ...(['resourceRules', 'excludeResourceRules'] as const).flatMap((name) =>
      each(match[name] ?? [], `${path}.${name}`, validateNamedRule),
    ),
  ];
}

function validateNamedRule(rule: NamedRuleWithOperations, path: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  const field = `${path}.resourceNames`;
  return [
    ...each(names, field, (name, at) => invalidEach(at, name, pathSegmentErrors(name))),
    ...refuseRepeated(names, field),
    ...validateRule(rule, path),
  ];
}

/** Checks the status of a policy: warnings of expressions, and conditions. */
export const validatePolicyStatus = ({ status }: ValidatingAdmissionPolicy): FieldError[] => [
  ...each(status?.typeChecking?.expressionWarnings ?? [], 'status.typeChecking.expressionWarnings', (warning, path) => [
    ...((warning.warning ?? '') === '' ? [required(`${path}.warning`)] : []),
    ...((warning.fieldRef ?? '').trim() === '' ? [required(`${path}.fieldRef`)] : []),
  ]),
  ...validateConditions(status?.conditions ?? [], 'status.conditions'),
];

/** Checks a binding. The path of its match criteria is misspelt as in the reference. */
export function validatePolicyBinding({ spec }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const policy = spec?.policyName ?? '';
  const [parameter, match] = [spec?.paramRef, spec?.matchResources];
  return [
    ...(policy === ''
      ? [required('spec.policyName')]
      : invalidEach('spec.policyName', policy, dnsSubdomainErrors(policy))),
    ...(parameter ? validateParamRef(parameter, 'spec.paramRef') : []),
    ...(match ? validateMatch(match, 'spec.matchResouces') : []),
    ...validateActions(spec?.validationActions ?? [], 'spec.validationActions'),
  ];
}

function validateParamRef(ref: ParamRef, path: string): FieldError[] {
  const name = ref.name ?? '';
  const both = (field: string) =>
    name !== '' && ref.selector ? [forbiddenField(field, 'name and selector are mutually exclusive')] : [];
  return [
    ...invalidEach(`${path}.name`, name, pathSegmentErrors(name)),
    ...both(`${path}.name`),
    ...validateLabelSelector(ref.selector, `${path}.selector`),
    ...both(`${path}.selector`),
    ...isOneOf(`${path}.parameterNotFoundAction`, ref.parameterNotFoundAction, NOT_FOUND_ACTIONS),
  ];
}

/** Checks a binding against the rules of later versions, if its parameters differ from those of `old`. */
export function validateLaterBinding(
  { spec }: ValidatingAdmissionPolicyBinding,
  old?: ValidatingAdmissionPolicyBinding,
): FieldError[] {
  const ref = spec?.paramRef;
  const before = old?.spec?.paramRef;
  // The storage version is the first one, in which an unset action means this.
  if (!ref || (before && equal(ref, filled({ ...before }, { parameterNotFoundAction: 'Deny' })))) return [];
  const names = (ref.name ?? '') !== '' || ref.selector !== undefined;
  return [
    ...(names ? [] : [required('spec.paramRef', 'one of name or selector must be specified')]),
    ...((ref.parameterNotFoundAction ?? '') === '' ? [required('spec.paramRef.parameterNotFoundAction')] : []),
  ];
}

function validateActions(actions: readonly string[], path: string): FieldError[] {
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...each(actions, path, (action, field) => isOneOf(field, action, ACTIONS)),
    ...refuseRepeated(actions, path),
    ...(actions.includes('Deny') && actions.includes('Warn')
      ? [invalidValue(path, shownList('admissionregistration.ValidationAction', actions), both)]
      : []),
    ...(actions.length === 0 ? [required(path, 'at least one validation action is required')] : []),
  ];
}
