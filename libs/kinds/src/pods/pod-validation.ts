import { type FieldError, forbiddenField } from '@orch/machinery';
import type { Pod, PodSpec } from '@orch/schema/types/core/v1';
import { validatePodAnnotations } from './annotation-validation.js';
import { validateImage } from './container-validation.js';
import type { PodContext } from './pod-context.js';
import { podSpecSteps } from './pod-spec-validation.js';
import { validateSeccompAgrees } from './seccomp-validation.js';

/** Checks a pod in steps; its annotations are checked separately, as they change without the spec. */
export function* podSteps({ metadata, spec }: Pod, context: PodContext): Iterable<FieldError[]> {
  yield* podSpecSteps(spec, 'spec', { ...context, podName: metadata?.name ?? '' });
  yield [
    ...validateTokens(spec),
    ...(['containers', 'initContainers'] as const).flatMap((list) =>
      (spec?.[list] ?? []).flatMap((container, index) => validateImage(container, `spec.${list}[${index}]`)),
    ),
  ];
}

/** A token is some account's. */
function validateTokens(spec: PodSpec | undefined): FieldError[] {
  if ((spec?.serviceAccountName ?? '') !== '') return [];
  const text = 'must not be specified when serviceAccountName is not set';
  return (spec?.volumes ?? []).flatMap((volume, index) =>
    (volume.projected?.sources ?? []).flatMap((source, at) =>
      source.serviceAccountToken
        ? [forbiddenField(`spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`, text)]
        : [],
    ),
  );
}

/** Checks pods that are new for more. */
export function validateNewPod({ metadata, spec }: Pod, context: PodContext): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec?.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((spec?.nodeName ?? '') !== '' && (spec?.schedulingGates ?? []).length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return [
    ...validatePodAnnotations({ metadata, spec }, 'metadata.annotations', context),
    ...errors,
    ...validateSeccompAgrees(metadata, spec, 'spec', context.names),
  ];
}
