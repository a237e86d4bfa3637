import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  validateAnnotations,
  validateLabels,
} from '@orch/machinery';
import { invalidEach, isOneOf, MAX_INT32, oneOf, rangeText } from '../rules/checks.js';
import { isObject, mapAt, numberAt, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { validateContainers, validateImages } from './container-validation.js';
import { validateScheduling } from './scheduling-validation.js';
import { validateVolumes } from './volume-validation.js';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const RUN_AS = ['runAsUser', 'runAsGroup', 'fsGroup'];

/** Members that are names of one sort or another. */
const NAMES: Readonly<Record<string, (value: string) => string[]>> = {
  serviceAccountName: dnsSubdomainErrors,
  nodeName: dnsSubdomainErrors,
  hostname: dnsLabelErrors,
  subdomain: dnsLabelErrors,
  priorityClassName: dnsSubdomainErrors,
  runtimeClassName: dnsSubdomainErrors,
};

/** What a pod spec must be like, in pods and in templates alike. */
export function validatePodSpec(spec: unknown, path: string): FieldError[] {
  const volumes = validateVolumes(spec, `${path}.volumes`);
  const { restartPolicy, dnsPolicy, preemptionPolicy, securityContext } = objectAt(spec);
  return [
    ...volumes.errors,
    ...validateContainers(spec, path, volumes.names),
    ...validateHostNetwork(spec, path),
    ...oneOf(`${path}.restartPolicy`, restartPolicy, RESTART_POLICIES),
    ...oneOf(`${path}.dnsPolicy`, dnsPolicy, DNS_POLICIES),
    ...validateLabels(mapAt(spec, 'nodeSelector'), `${path}.nodeSelector`),
    ...RUN_AS.flatMap((name) => validateId(securityContext, `${path}.securityContext`, name)),
    ...validateDnsConfig(spec, path),
    ...validateScheduling(spec, path),
    ...Object.entries(NAMES).flatMap(([name, check]) => {
      const value = textAt(spec, name);
      return value === '' ? [] : invalidEach(`${path}.${name}`, value, check(value));
    }),
    ...validateDeadline(spec, path),
    ...isOneOf(`${path}.preemptionPolicy`, preemptionPolicy, PREEMPTION_POLICIES),
  ];
}

/** The template that a workload makes pods from. */
export const validateTemplate = (template: unknown, path: string): FieldError[] => [
  ...validateTemplateMetadata(template, path),
  ...validatePodSpec(objectAt(template, 'spec'), `${path}.spec`),
  ...(objectsAt(template, 'spec', 'ephemeralContainers').length > 0
    ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
    : []),
];

export const validateTemplateMetadata = (template: unknown, path: string): FieldError[] => [
  ...validateLabels(mapAt(template, 'metadata', 'labels'), `${path}.labels`),
  ...validateAnnotations(mapAt(template, 'metadata', 'annotations'), `${path}.annotations`),
];

/** What more is asked of pods themselves. */
export const validatePod = (spec: unknown): FieldError[] => [
  ...validatePodSpec(spec, 'spec'),
  ...validateImages(spec, 'spec'),
];

/** What more is asked of pods that are new. */
export function validateNewPod(spec: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (objectsAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (textAt(spec, 'nodeName') !== '' && objectsAt(spec, 'schedulingGates').length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

function validateHostNetwork(spec: unknown, path: string): FieldError[] {
  if (objectAt(spec).hostNetwork !== true) return [];
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      if (!port.hostPort || port.hostPort === port.containerPort) return [];
      const field = `${path}.containers[${index}].ports[${portIndex}].hostPort`;
      return [invalidValue(field, port.hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateId(context: unknown, path: string, name: string): FieldError[] {
  const id = numberAt(context, name);
  return id === undefined || (id >= 0 && id <= MAX_INT32)
    ? []
    : [invalidValue(`${path}.${name}`, id, rangeText(0, MAX_INT32))];
}

function validateDnsConfig(spec: unknown, path: string): FieldError[] {
  if (textAt(spec, 'dnsPolicy') !== 'None') return [];
  if (!isObject(objectAt(spec).dnsConfig)) {
    return [required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (stringsAt(spec, 'dnsConfig', 'nameservers').length > 0) return [];
  const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
  return [required(`${path}.dnsConfig.nameservers`, text)];
}

function validateDeadline(spec: unknown, path: string): FieldError[] {
  const seconds = numberAt(spec, 'activeDeadlineSeconds');
  return seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)
    ? []
    : [invalidValue(`${path}.activeDeadlineSeconds`, seconds, rangeText(1, MAX_INT32))];
}
