import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  qualifiedNameErrors,
  required,
  VerbatimValue,
} from '@orch/machinery';
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '@orch/schema/types/batch/v1';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { atMost, each } from '../rules/lists.js';
import { isObject } from '../values/fields.js';

const ACTIONS = ['Count', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const MAX_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_CODES = 255;

/** Checks the policy of what the failure of a pod means for its Job. `path` is that of the policy, `template` that of the pods. */
export function validateFailurePolicy(
  policy: PodFailurePolicy | undefined,
  template: PodTemplateSpec | undefined,
  path: string,
): FieldError[] {
  if (!policy) return [];
  const rules = policy.rules ?? [];
  const containers = new Set(
    (['containers', 'initContainers'] as const).flatMap((list) =>
      (template?.spec?.[list] ?? []).map((container) => container.name ?? ''),
    ),
  );
  return [
    ...atMost(`${path}.rules`, rules.length, MAX_RULES),
    ...each(rules, `${path}.rules`, (rule, field) => validateRule(rule, field, containers)),
  ];
}

function validateRule(rule: PodFailurePolicyRule, path: string, containers: ReadonlySet<string>): FieldError[] {
  const codes = rule.onExitCodes;
  const patterns = rule.onPodConditions ?? [];
  const [byCode, byCondition] = [isObject(codes), patterns.length > 0];
  const refuse = (text: string): FieldError => ({
    field: path,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${text}`,
  });
  return [
    ...known(rule.action ?? '', `${path}.action`, ACTIONS),
    ...(codes ? validateCodes(codes, `${path}.onExitCodes`, containers) : []),
    ...atMost(`${path}.onPodConditions`, patterns.length, MAX_PATTERNS),
    ...each(patterns, `${path}.onPodConditions`, validatePattern),
    ...(byCode && byCondition ? [refuse('specifying both OnExitCodes and OnPodConditions is not supported')] : []),
    ...(!byCode && !byCondition ? [refuse('specifying one of OnExitCodes and OnPodConditions is required')] : []),
  ];
}

function known(value: string, field: string, values: readonly string[]): FieldError[] {
  const listed = values.map((each) => JSON.stringify(each)).join(' ');
  if (value === '') return [required(field, `valid values: [${listed}]`)];
  return values.includes(value) ? [] : [notSupported(field, value, values)];
}

function validatePattern(pattern: PodFailurePolicyOnPodConditionsPattern, path: string): FieldError[] {
  const type = pattern.type ?? '';
  return [
    ...invalidEach(`${path}.type`, type, qualifiedNameErrors(type)),
    ...known(pattern.status ?? '', `${path}.status`, STATUSES),
  ];
}

function validateCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  path: string,
  containers: ReadonlySet<string>,
): FieldError[] {
  const operator = requirement.operator ?? '';
  const { containerName: name } = requirement;
  const text = 'must be one of the container or initContainer names in the pod template';
  return [
    ...known(operator, `${path}.operator`, OPERATORS),
    ...(typeof name === 'string' && !containers.has(name) ? [invalidValue(`${path}.containerName`, name, text)] : []),
    ...validateValues(requirement, operator, `${path}.values`),
  ];
}

function validateValues(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  operator: string,
  path: string,
): FieldError[] {
  const listed = requirement.values;
  const values = Array.isArray(listed) ? listed.map(Number) : [];
  const shown = new VerbatimValue(`[]int32{${values.join(', ')}}`);
  if (values.length === 0) return [invalidValue(path, shown, 'at least one value is required')];
  const seen = new Set<number>();
  const errors = each(values, path, (value, field) => {
    const again = seen.has(value) ? [duplicate(field, value)] : [];
    seen.add(value);
    const zero = operator === 'In' && value === 0;
    return [...(zero ? [invalidValue(field, 0, 'must not be 0 for the In operator')] : []), ...again];
  });
  const ordered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return [
    ...atMost(path, values.length, MAX_CODES),
    ...errors,
    ...(ordered ? [] : [invalidValue(path, shown, 'must be ordered')]),
  ];
}
