import { dnsLabelErrors, dnsSubdomainErrors, type FieldError, invalidValue, validateLabels } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { invalidEach, MAX_INT32, oneOf, rangeText } from '../rules/checks.js';
import { validatePreemptionPolicy } from '../rules/preemption-policy.js';
import { numberOf } from '../values/fields.js';
import { validateAffinity } from './affinity-validation.js';
import { containerSteps } from './container-lists-validation.js';
import { validateDnsConfig, validateHostAliases } from './dns-validation.js';
import { validateHostNetwork, validateHostUsers } from './host-validation.js';
import { validateOs } from './os-validation.js';
import type { PodContext } from './pod-context.js';
import { PodClaims, validateResourceClaims } from './resource-claim-validation.js';
import { validateResources } from './resource-validation.js';
import { validateReadinessGates, validateSchedulingGates } from './scheduling-validation.js';
import { validatePodSecurity } from './security-context-validation.js';
import { validateSpread } from './spread-validation.js';
import { validateTolerations } from './toleration-validation.js';
import { validateVolumes } from './volumes/volume-validation.js';
import { validateHostProcess } from './windows-validation.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

/** {@link podSpecSteps} in one. */
export const validatePodSpec = (spec: PodSpec | undefined, path: string, context: PodContext): FieldError[] =>
  [...podSpecSteps(spec, path, context)].flat();

/** Checks a pod spec, in pods and in templates alike, a part at a time. */
export function* podSpecSteps(spec: PodSpec | undefined, path: string, context: PodContext): Iterable<FieldError[]> {
  const { errors, volumes } = validateVolumes(spec, `${path}.volumes`, context);
  const shared = { ...context, volumes, claims: new PodClaims(spec) };
  yield errors;
  yield validateResourceClaims(spec, `${path}.resourceClaims`, context.podName);
  yield* containerSteps(spec, path, shared);
  yield [
    ...validatePolicies(spec, path),
    ...validateLabels(spec?.nodeSelector ?? {}, `${path}.nodeSelector`),
    ...validateHostNetwork(spec, path),
    ...validatePodSecurity(spec, `${path}.securityContext`),
  ];
  yield* placementSteps(spec, path, context);
  yield [...validateHostProcess(spec, path, context.settings.allowPrivileged), ...validateHostUsers(spec, path)];
  yield* settingSteps(spec, path, context);
  yield validateOs(spec, path);
}

const validatePolicies = (spec: PodSpec | undefined, path: string): FieldError[] => [
  ...oneOf(`${path}.restartPolicy`, spec?.restartPolicy, RESTART_POLICIES),
  ...oneOf(`${path}.dnsPolicy`, spec?.dnsPolicy, DNS_POLICIES),
];

/** Checks of where the pod runs, and when. */
function* placementSteps(spec: PodSpec | undefined, path: string, context: PodContext): Iterable<FieldError[]> {
  yield validateAffinity(spec?.affinity, `${path}.affinity`, context.kept.affinityValues);
  yield validateDnsConfig(spec, `${path}.dnsConfig`, context);
  yield validateReadinessGates(spec, `${path}.readinessGates`);
  yield validateSchedulingGates(spec, `${path}.schedulingGates`);
  yield validateSpread(spec, `${path}.topologySpreadConstraints`, context.kept.spreadSelectors);
}

/** Members that stand alone. */
function* settingSteps(spec: PodSpec | undefined, path: string, context: PodContext): Iterable<FieldError[]> {
  yield [
    ...validateName(spec, path, 'serviceAccountName', dnsSubdomainErrors),
    ...validateName(spec, path, 'nodeName', dnsSubdomainErrors),
    ...validateDeadline(spec, path),
    ...validateName(spec, path, 'hostname', dnsLabelErrors),
    ...validateName(spec, path, 'subdomain', dnsLabelErrors),
  ];
  yield validateTolerations(spec?.tolerations ?? [], `${path}.tolerations`);
  yield validateHostAliases(spec, `${path}.hostAliases`);
  yield [
    ...validateName(spec, path, 'priorityClassName', dnsSubdomainErrors),
    ...validateRuntimeClass(spec?.runtimeClassName, `${path}.runtimeClassName`),
    ...validatePreemptionPolicy(`${path}.preemptionPolicy`, spec?.preemptionPolicy),
  ];
  yield validateResources({ limits: spec?.overhead }, `${path}.overhead`, context);
}

function validateName(
  spec: PodSpec | undefined,
  path: string,
  name: 'serviceAccountName' | 'nodeName' | 'hostname' | 'subdomain' | 'priorityClassName',
  errorsOf: (value: string) => string[],
): FieldError[] {
  const value = spec?.[name] ?? '';
  return value === '' ? [] : invalidEach(`${path}.${name}`, value, errorsOf(value));
}

/** An empty name is one, too. */
const validateRuntimeClass = (name: string | undefined, field: string): FieldError[] =>
  typeof name === 'string' ? invalidEach(field, name, dnsSubdomainErrors(name)) : [];

function validateDeadline(spec: PodSpec | undefined, path: string): FieldError[] {
  const seconds = numberOf(spec?.activeDeadlineSeconds);
  return seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)
    ? []
    : [invalidValue(`${path}.activeDeadlineSeconds`, spec?.activeDeadlineSeconds, rangeText(1, MAX_INT32))];
}
