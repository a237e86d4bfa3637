import {
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
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
} from '@orch/schema/types/autoscaling/v2';
import { invalidEach, isNotPositive, isOneOf, nonNegativeMembers, requiredText } from '../rules/checks.js';
import { shownQuantity } from '../rules/go-quantity.js';
import { each } from '../rules/lists.js';
import { containerResourceErrors } from '../rules/resource-names.js';

/** The sources of a metric, in the order in which they are looked at. */
const MEMBERS = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type Member = (typeof MEMBERS)[number];

const SOURCES: Readonly<Record<string, Member>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
const TYPES = Object.keys(SOURCES);
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** The spec of a HorizontalPodAutoscaler in version 2. */
export const validateAutoscaler = (
  spec: HorizontalPodAutoscalerSpec | undefined,
  old: HorizontalPodAutoscalerSpec | undefined,
  names: Names,
  features: Features,
): FieldError[] => [
  ...validateBounds(spec, features.enabled('HPAScaleToZero') || old?.minReplicas === 0 ? 0 : 1),
  ...validateTargetRef(spec?.scaleTargetRef, 'spec.scaleTargetRef'),
  ...each(spec?.metrics ?? [], 'spec.metrics', (metric, path) => validateMetric(metric, path, names, features)),
  ...validateIdle(spec),
  ...(['scaleUp', 'scaleDown'] as const).flatMap((name) =>
    validateRules(spec?.behavior?.[name], `spec.behavior.${name}`),
  ),
];

function validateBounds(spec: HorizontalPodAutoscalerSpec | undefined, lowest: number): FieldError[] {
  const [low, high] = [spec?.minReplicas, spec?.maxReplicas ?? 0];
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

/** Checks that a workload scaled to zero has a metric that does not come from its own pods. */
function validateIdle(spec: HorizontalPodAutoscalerSpec | undefined): FieldError[] {
  const outside = (spec?.metrics ?? []).some(({ type }) => type === 'Object' || type === 'External');
  if (outside || spec?.minReplicas !== 0) return [];
  const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', text)];
}

/** Checks the numbers of replicas in the status. */
export const validateAutoscalerStatus = ({ status }: HorizontalPodAutoscaler): FieldError[] =>
  nonNegativeMembers(status, 'status', ['currentReplicas', 'desiredReplicas']);

const validateTargetRef = (reference: CrossVersionObjectReference | undefined, path: string): FieldError[] =>
  (['kind', 'name'] as const).flatMap((name) => requiredText(reference, path, name, pathSegmentErrors));

function validateMetric(metric: MetricSpec, path: string, names: Names, features: Features): FieldError[] {
  const type = metric.type ?? '';
  const present = MEMBERS.filter((name) => metric[name]);
  const [first] = present;
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'));
  const expected = SOURCES[type];
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  if (first !== undefined) errors.push(...validateSource(first, metric[first], `${path}.${first}`, names));
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!metric[expected]) errors.push(required(`${path}.${expected}`, missingText(expected, features)));
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

/** A source of whatever sort: each has some of these. */
type Source = ObjectMetricSource & ContainerResourceMetricSource;

function validateSource(member: Member, source: Source | undefined, path: string, names: Names): FieldError[] {
  const target = source?.target;
  const missing = (name: string, text: string) => required(`${path}.target.${name}`, text);
  const ofObject = member === 'object' ? validateTargetRef(source?.describedObject, `${path}.describedObject`) : [];
  const identity = [
    ...ofObject,
    ...validateIdentity(member, source, path, names),
    ...validateTarget(target, `${path}.target`),
  ];
  const [value, average, utilization] = (['value', 'averageValue', 'averageUtilization'] as const).map(
    (name) => target?.[name] !== undefined && target[name] !== null,
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

function validateIdentity(member: string, source: Source | undefined, path: string, names: Names): FieldError[] {
  if (member === 'resource' || member === 'containerResource') {
    const resource = source?.name ?? '';
    const name = resource === '' ? [required(`${path}.name`, 'must specify a resource name')] : [];
    if (member === 'resource') return name;
    name.push(
      ...(resource === '' ? [] : invalidEach(`${path}.name`, resource, containerResourceErrors(resource, names))),
    );
    if ((source?.container ?? '') !== '') return [...name, ...requiredText(source, path, 'container', dnsLabelErrors)];
    return [...name, required(`${path}.container`, 'must specify a container')];
  }
  if ((source?.metric?.name ?? '') === '') return [required(`${path}.metric.name`, 'must specify a metric name')];
  return requiredText(source?.metric, `${path}.metric`, 'name', pathSegmentErrors);
}

function validateTarget(target: MetricTarget | undefined, path: string): FieldError[] {
  const type = target?.type ?? '';
  const errors = type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : [];
  if (!TARGET_TYPES.includes(type)) {
    errors.push(invalidValue(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  }
  for (const name of ['value', 'averageValue'] as const) {
    const text = target?.[name] ?? '';
    if (text !== '' && isNotPositive(text)) {
      errors.push(invalidValue(`${path}.${name}`, shownQuantity(text), 'must be positive'));
    }
  }
  const utilization = target?.averageUtilization;
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalidValue(`${path}.averageUtilization`, utilization, 'must be greater than 0'));
  }
  return errors;
}

function validateRules(rules: HPAScalingRules | undefined, path: string): FieldError[] {
  if (!rules) return [];
  const field = `${path}.stabilizationWindowSeconds`;
  const window = rules.stabilizationWindowSeconds ?? 0;
  const policies = rules.policies ?? [];
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

function validatePolicy(policy: HPAScalingPolicy, path: string): FieldError[] {
  const [value, period] = [policy.value ?? 0, policy.periodSeconds ?? 0];
  const tooLate = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
  return [
    ...isOneOf(`${path}.type`, policy.type ?? '', POLICY_TYPES),
    ...(value > 0 ? [] : [invalidValue(`${path}.value`, value, 'must be greater than zero')]),
    ...(period > 0 ? [] : [invalidValue(`${path}.periodSeconds`, period, 'must be greater than zero')]),
    ...(period > MAX_PERIOD_SECONDS ? [invalidValue(`${path}.periodSeconds`, period, tooLate)] : []),
  ];
}
