import {
  type ApiObject,
  dnsLabelErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  notSupported,
  pathSegmentErrors,
  required,
} from '@orch/machinery';
import type { Features } from '@orch/schema';
import { invalidEach, isNotPositive, isOneOf, nonNegativeMembers, requiredText } from '../rules/checks.js';
import { shownQuantity } from '../rules/go-quantity.js';
import { each } from '../rules/lists.js';
import { containerResourceErrors } from '../rules/resource-names.js';
import { at, countAt, isObject, type Json, numberAt, objectsAt, textAt } from '../values/fields.js';

const SOURCES: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
const TYPES = Object.keys(SOURCES);
/** In which order the sources of a metric are looked at. */
const MEMBERS = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** The spec of a HorizontalPodAutoscaler in version 2. */
export const validateAutoscaler = (spec: unknown, old: unknown, names: Names, features: Features): FieldError[] => [
  ...validateBounds(spec, features.enabled('HPAScaleToZero') || numberAt(old, 'minReplicas') === 0 ? 0 : 1),
  ...validateTargetRef(at(spec, 'scaleTargetRef'), 'spec.scaleTargetRef'),
  ...each(objectsAt(spec, 'metrics'), 'spec.metrics', (metric, path) => validateMetric(metric, path, names, features)),
  ...validateIdle(spec),
  ...['scaleUp', 'scaleDown'].flatMap((name) => validateRules(at(spec, 'behavior', name), `spec.behavior.${name}`)),
];

function validateBounds(spec: unknown, lowest: number): FieldError[] {
  const [low, high] = [numberAt(spec, 'minReplicas'), countAt(spec, 'maxReplicas')];
  const errors: FieldError[] = [];
  if (low !== undefined && low < lowest) {
    errors.push(invalidValue('spec.minReplicas', low, `must be greater than or equal to ${lowest}`));
  }
  if (high < 1) errors.push(invalidValue('spec.maxReplicas', high, 'must be greater than 0'));
  if (low !== undefined && high < low) {
    errors.push(invalidValue('spec.maxReplicas', high, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

/** What nothing runs of is only started by something that it does not measure itself. */
function validateIdle(spec: unknown): FieldError[] {
  const outside = objectsAt(spec, 'metrics').some(({ type }) => type === 'Object' || type === 'External');
  if (outside || numberAt(spec, 'minReplicas') !== 0) return [];
  const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', text)];
}

export const validateAutoscalerStatus = ({ status }: ApiObject): FieldError[] =>
  nonNegativeMembers(status, 'status', ['currentReplicas', 'desiredReplicas']);

const validateTargetRef = (reference: unknown, path: string): FieldError[] =>
  ['kind', 'name'].flatMap((name) => requiredText(reference, path, name, pathSegmentErrors));

function validateMetric(metric: Json, path: string, names: Names, features: Features): FieldError[] {
  const type = textAt(metric, 'type');
  const present = MEMBERS.filter((name) => isObject(metric[name]));
  const [first] = present;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  const expected = SOURCES[type];
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (first !== undefined) errors.push(...validateSource(first, metric[first], `${path}.${first}`, names));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!isObject(metric[expected])) errors.push(required(`${path}.${expected}`, missingText(expected, features)));
  if (present.length === 1) return errors;
  const others = present.filter((name) => name !== expected);
  return [
    ...errors,
    ...others.map((name) => forbiddenField(`${path}.${name}`, 'must populate the given metric source only')),
  ];
}

const missingText = (source: string, features: Features): string => {
  const text = 'must populate information for the given metric source';
  const off = source === 'containerResource' && !features.enabled('HPAContainerMetrics');
  return off ? `${text} (only allowed when HPAContainerMetrics feature is enabled)` : text;
};

function validateSource(member: (typeof MEMBERS)[number], source: unknown, path: string, names: Names): FieldError[] {
  const target = at(source, 'target');
  const missing = (name: string, text: string) => required(`${path}.target.${name}`, text);
  const ofObject =
    member === 'object' ? validateTargetRef(at(source, 'describedObject'), `${path}.describedObject`) : [];
  const identity = [
    ...ofObject,
    ...validateIdentity(member, source, path, names),
    ...validateTarget(target, `${path}.target`),
  ];
  const [value, average, utilization] = ['value', 'averageValue', 'averageUtilization'].map(
    (name) => at(target, name) !== undefined && at(target, name) !== null,
  );
  switch (member) {
    case 'object':
      return value || average
        ? identity
        : [...identity, missing('averageValue', 'must set either a target value or averageValue')];
    case 'external': {
      const text = 'must set either a target value for metric or a per-pod target';
      if (!value && !average) return [...identity, missing('averageValue', text)];
      if (!value || !average) return identity;
      const both = 'may not set both a target value for metric and a per-pod target';
      return [...identity, forbiddenField(`${path}.target.value`, both)];
    }
    case 'pods':
      return average ? identity : [...identity, missing('averageValue', 'must specify a positive target averageValue')];
    default: {
      const text = 'must set either a target raw value or a target utilization';
      if (!utilization && !average) return [...identity, missing('averageUtilization', text)];
      if (!utilization || !average) return identity;
      const both = 'may not set both a target raw value and a target utilization';
      return [...identity, forbiddenField(`${path}.target.averageValue`, both)];
    }
  }
}

function validateIdentity(member: string, source: unknown, path: string, names: Names): FieldError[] {
  if (member === 'resource' || member === 'containerResource') {
    const resource = textAt(source, 'name');
    const name = resource === '' ? [required(`${path}.name`, 'must specify a resource name')] : [];
    if (member === 'resource') return name;
    name.push(
      ...(resource === '' ? [] : invalidEach(`${path}.name`, resource, containerResourceErrors(resource, names))),
    );
    if (textAt(source, 'container') !== '')
      return [...name, ...requiredText(source, path, 'container', dnsLabelErrors)];
    return [...name, required(`${path}.container`, 'must specify a container')];
  }
  if (textAt(source, 'metric', 'name') === '') return [required(`${path}.metric.name`, 'must specify a metric name')];
  return requiredText(at(source, 'metric'), `${path}.metric`, 'name', pathSegmentErrors);
}

function validateTarget(target: unknown, path: string): FieldError[] {
  const type = textAt(target, 'type');
  const errors = type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : [];
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue']) {
    const text = textAt(target, name);
    if (text !== '' && isNotPositive(text)) {
      errors.push(invalidValue(`${path}.${name}`, shownQuantity(text), 'must be positive'));
    }
  }
  const utilization = numberAt(target, 'averageUtilization');
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalidValue(`${path}.averageUtilization`, utilization, 'must be greater than 0'));
  }
  return errors;
}

function validateRules(rules: unknown, path: string): FieldError[] {
  if (!isObject(rules)) return [];
  const field = `${path}.stabilizationWindowSeconds`;
  const window = numberAt(rules, 'stabilizationWindowSeconds') ?? 0;
  const policies = objectsAt(rules, 'policies');
  return [
    ...(window < 0 ? [invalidValue(field, window, 'must be greater than or equal to zero')] : []),
    ...(window > MAX_WINDOW_SECONDS
      ? [invalidValue(field, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)]
      : []),
    ...isOneOf(`${path}.selectPolicy`, rules.selectPolicy, SELECT_POLICIES),
    ...(policies.length === 0 ? [required(`${path}.policies`, 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, index) => validatePolicy(policy, `${path}.policies[${index}]`)),
  ];
}

function validatePolicy(policy: Json, path: string): FieldError[] {
  const [value, period] = [countAt(policy, 'value'), countAt(policy, 'periodSeconds')];
  const tooLate = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
  return [
    ...isOneOf(`${path}.type`, textAt(policy, 'type'), POLICY_TYPES),
    ...(value > 0 ? [] : [invalidValue(`${path}.value`, value, 'must be greater than zero')]),
    ...(period > 0 ? [] : [invalidValue(`${path}.periodSeconds`, period, 'must be greater than zero')]),
    ...(period > MAX_PERIOD_SECONDS ? [invalidValue(`${path}.periodSeconds`, period, tooLate)] : []),
  ];
}
