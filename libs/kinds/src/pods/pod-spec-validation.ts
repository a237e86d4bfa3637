import { dnsLabelErrors, dnsSubdomainErrors, type FieldError, invalidValue, validateLabels } from '@orch/machinery';
import { invalidEach, MAX_INT32, oneOf, rangeText } from '../rules/checks.js';
import { validatePreemptionPolicy } from '../rules/preemption-policy.js';
import { mapAt, numberAt, objectAt, objectsAt, textAt } from '../values/fields.js';
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
export const validatePodSpec = (spec: unknown, path: string, context: PodContext): FieldError[] =>
  [...podSpecSteps(spec, path, context)].flat();

/** What a pod spec must be like, in pods and in templates alike, a part at a time. */
export function* podSpecSteps(spec: unknown, path: string, context: PodContext): Iterable<FieldError[]> {
  const { errors, volumes } = validateVolumes(spec, `${path}.volumes`, context);
  const shared = { ...context, volumes, claims: new PodClaims(spec) };
  yield errors;
  yield validateResourceClaims(spec, `${path}.resourceClaims`, context.podName);
  yield* containerSteps(spec, path, shared);
  yield [
    ...validatePolicies(spec, path),
    ...validateLabels(mapAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...validateHostNetwork(spec, path),
    ...validatePodSecurity(spec, `${path}.securityContext`),
  ];
  yield* placementSteps(spec, path, context);
  yield [...validateHostProcess(spec, path, context.settings.allowPrivileged), ...validateHostUsers(spec, path)];
  yield* settingSteps(spec, path, context);
  yield validateOs(spec, path);
}

const validatePolicies = (spec: unknown, path: string): FieldError[] => [
  ...oneOf(`${path}.restartPolicy`, objectAt(spec).restartPolicy, RESTART_POLICIES),
  ...oneOf(`${path}.dnsPolicy`, objectAt(spec).dnsPolicy, DNS_POLICIES),
];

/** Where the pod runs, and when. */
function* placementSteps(spec: unknown, path: string, context: PodContext): Iterable<FieldError[]> {
  yield validateAffinity(objectAt(spec).affinity, `${path}.affinity`, context.kept.affinityValues);
  yield validateDnsConfig(spec, `${path}.dnsConfig`, context);
  yield validateReadinessGates(spec, `${path}.readinessGates`);
  yield validateSchedulingGates(spec, `${path}.schedulingGates`);
  yield validateSpread(spec, `${path}.topologySpreadConstraints`, context.kept.spreadSelectors);
}

/** Members that stand alone. */
function* settingSteps(spec: unknown, path: string, context: PodContext): Iterable<FieldError[]> {
  yield [
    ...validateName(spec, path, 'serviceAccountName', dnsSubdomainErrors),
    ...validateName(spec, path, 'nodeName', dnsSubdomainErrors),
    ...validateDeadline(spec, path),
    ...validateName(spec, path, 'hostname', dnsLabelErrors),
    ...validateName(spec, path, 'subdomain', dnsLabelErrors),
  ];
  yield validateTolerations(objectsAt(spec, 'tolerations'), `${path}.tolerations`);
  yield validateHostAliases(spec, `${path}.hostAliases`);
  yield [
    ...validateName(spec, path, 'priorityClassName', dnsSubdomainErrors),
    ...validateRuntimeClass(objectAt(spec).runtimeClassName, `${path}.runtimeClassName`),
    ...validatePreemptionPolicy(`${path}.preemptionPolicy`, objectAt(spec).preemptionPolicy),
  ];
  yield validateResources({ limits: objectAt(spec).overhead }, `${path}.overhead`, context);
}

function validateName(spec: unknown, path: string, name: string, errorsOf: (value: string) => string[]): FieldError[] {
  const value = textAt(spec, name);
  return value === '' ? [] : invalidEach(`${path}.${name}`, value, errorsOf(value));
}

/** An empty name is one, too. */
const validateRuntimeClass = (name: unknown, field: string): FieldError[] =>
  typeof name === 'string' ? invalidEach(field, name, dnsSubdomainErrors(name)) : [];

function validateDeadline(spec: unknown, path: string): FieldError[] {
  const seconds = numberAt(spec, 'activeDeadlineSeconds');
  return seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)
    ? []
    : [invalidValue(`${path}.activeDeadlineSeconds`, objectAt(spec).activeDeadlineSeconds, rangeText(1, MAX_INT32))];
}
