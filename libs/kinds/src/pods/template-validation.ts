import { type FieldError, forbiddenField, invalidValue, validateAnnotations, validateLabels } from '@orch/machinery';
import { isObject, mapAt, objectAt, objectsAt } from '../values/fields.js';
import { validatePodAnnotations } from './annotation-validation.js';
import type { PodContext } from './pod-context.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { validateSeccompAgrees } from './seccomp-validation.js';

/** The template that a workload makes pods from. */
export const validateTemplate = (template: unknown, path: string, context: PodContext): FieldError[] => [
  ...validateTemplateMetadata(template, path, context),
  ...validatePodSpec(objectAt(template, 'spec'), `${path}.spec`, context),
  ...validateSeccompAgrees(objectAt(template, 'metadata'), objectAt(template, 'spec'), `${path}.spec`, context.names),
  ...(objectsAt(template, 'spec', 'ephemeralContainers').length > 0
    ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
    : []),
];

export const validateTemplateMetadata = (template: unknown, path: string, context: PodContext): FieldError[] => [
  ...validateLabels(mapAt(template, 'metadata', 'labels'), `${path}.labels`),
  ...validateAnnotations(mapAt(template, 'metadata', 'annotations'), `${path}.annotations`),
  ...validatePodAnnotations(template, `${path}.annotations`, context),
];

/** Several pods cannot write to the same disk. */
export const validateReadOnlyDisks = (template: unknown, path: string): FieldError[] =>
  objectsAt(template, 'spec', 'volumes').flatMap((volume, index) => {
    const disk = volume.gcePersistentDisk;
    if (!isObject(disk) || disk.readOnly === true) return [];
    const text =
      'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only';
    return [invalidValue(`${path}.spec.volumes[${index}].gcePersistentDisk.readOnly`, false, text)];
  });
