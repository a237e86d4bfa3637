import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type { DaemonSetSpec, DeploymentSpec, ReplicaSetSpec, StatefulSetSpec } from '@orch/schema/types/apps/v1';
import type { JobSpec } from '@orch/schema/types/batch/v1';
import type { ReplicationControllerSpec } from '@orch/schema/types/core/v1';
import type { PodContext } from '../pods/pod-context.js';
import { validateReadOnlyDisks, validateTemplate } from '../pods/template-validation.js';
import { selectorMatches, selectsAll, validateLabelSelector } from '../rules/label-selector.js';
import { shownMap, shownSelector } from '../values/go-syntax.js';

const TEMPLATE = 'spec.template';

/** The selector of a workload that cannot be without one. `kind` as messages name it. */
export function validateSelector(
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec | undefined,
  kind: string,
): FieldError[] {
  const selector = spec?.selector;
  if (!selector) return [required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (selectsAll(selector)) {
    errors.push(invalidValue('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`));
  }
  return errors;
}

/** A workload must own the pods that it makes; of a selector that cannot be read that is not asked. */
export function validateSelected(
  spec: DeploymentSpec | StatefulSetSpec | ReplicaSetSpec | DaemonSetSpec | JobSpec | undefined,
): FieldError[] {
  const labels = spec?.template?.metadata?.labels;
  const matches = selectorMatches(spec?.selector, spec?.template?.metadata?.labels ?? {});
  if (matches !== false) return [];
  const text = '`selector` does not match template `labels`';
  return [invalidValue(`${TEMPLATE}.metadata.labels`, shownMap(labels), text)];
}

/** The template is looked at only beside a selector that can be read; else `unreadable` is said of that. */
export function validateBesideSelector(
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec | undefined,
  unreadable: string,
  validateTemplate: () => FieldError[],
): FieldError[] {
  const selector = spec?.selector;
  if (selectorMatches(selector, {}) === undefined)
    return [invalidValue('spec.selector', shownSelector(selector), unreadable)];
  return [...validateSelected(spec), ...validateTemplate()];
}

/** Pods of a workload run for ever. `kind` as messages name it. */
export function validateLasting(
  spec: DeploymentSpec | ReplicaSetSpec | DaemonSetSpec | StatefulSetSpec | ReplicationControllerSpec | undefined,
  kind: string,
): FieldError[] {
  const template = spec?.template?.spec;
  const errors: FieldError[] = [];
  if (template?.restartPolicy !== 'Always') {
    errors.push(notSupported(`${TEMPLATE}.spec.restartPolicy`, template?.restartPolicy ?? '', ['Always']));
  }
  if (typeof template?.activeDeadlineSeconds === 'number') {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(`${TEMPLATE}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}

/** Selector and template of Deployments and ReplicaSets. */
export const validateReplicated = (
  spec: DeploymentSpec | ReplicaSetSpec | undefined,
  context: PodContext,
): FieldError[] => [
  ...validateSelector(spec, 'deployment'),
  ...validateBesideSelector(spec, 'invalid label selector', () => [
    ...validateTemplate(spec?.template, TEMPLATE, context),
    ...((spec?.replicas ?? 0) > 1 ? validateReadOnlyDisks(spec?.template, TEMPLATE) : []),
    ...validateLasting(spec, 'ReplicaSet'),
  ]),
];
