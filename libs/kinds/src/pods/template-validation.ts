import { type FieldError, forbiddenField, invalidValue, validateAnnotations, validateLabels } from '@orch/machinery';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import { validatePodAnnotations } from './annotation-validation.js';
import type { PodContext } from './pod-context.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { validateSeccompAgrees } from './seccomp-validation.js';

/** The template that a workload makes pods from. */
export const validateTemplate = (
  template: PodTemplateSpec | undefined,
  path: string,
  context: PodContext,
): FieldError[] => [
  ...validateTemplateMetadata(template, path, context),
  ...validatePodSpec(template?.spec, `${path}.spec`, context),
  ...validateSeccompAgrees(template?.metadata, template?.spec, `${path}.spec`, context.names),
  ...((template?.spec?.ephemeralContainers ?? []).length > 0
    ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
    : []),
];

/** Checks labels and annotations of a template. */
export const validateTemplateMetadata = (
  template: PodTemplateSpec | undefined,
  path: string,
  context: PodContext,
): FieldError[] => [
  ...validateLabels(template?.metadata?.labels ?? {}, `${path}.labels`),
  ...validateAnnotations(template?.metadata?.annotations ?? {}, `${path}.annotations`),
  ...validatePodAnnotations(template, `${path}.annotations`, context),
];

/** Several pods cannot write to the same disk. */
export const validateReadOnlyDisks = (template: PodTemplateSpec | undefined, path: string): FieldError[] =>
  (template?.spec?.volumes ?? []).flatMap((volume, index) => {
    const disk = volume.gcePersistentDisk;
    if (!disk || disk.readOnly === true) return [];
    const text =
      'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only';
    return [invalidValue(`${path}.spec.volumes[${index}].gcePersistentDisk.readOnly`, false, text)];
  });
