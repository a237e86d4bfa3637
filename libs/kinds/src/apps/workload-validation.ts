import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type { PodTemplateSpec } from '@orch/schema/types/core/v1';
import type { LabelSelector } from '@orch/schema/types/meta/v1';
import type { PodContext } from '../pods/pod-context.js';
import { validateReadOnlyDisks, validateTemplate } from '../pods/template-validation.js';
import { selectorMatches, selectsAll, validateLabelSelector } from '../rules/label-selector.js';
import { shownMap, shownSelector } from '../values/go-syntax.js';

const TEMPLATE = 'spec.template';

/** The spec of a workload, as far as all have it: whose pods are its own, and what they are made from. */
interface WorkloadSpec {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

/** The selector of a workload that cannot be without one. `kind` as messages name it. */
export function validateSelector(spec: WorkloadSpec | undefined, kind: string): FieldError[] {
  const selector = spec?.selector;
  if (!selector) return [required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (selectsAll(selector)) {
    errors.push(invalidValue('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`));
  }
  return errors;
}

/** A workload must own the pods that it makes; of a selector that cannot be read that is not asked. */
export function validateSelected(spec: WorkloadSpec | undefined): FieldError[] {
  const labels = spec?.template?.metadata?.labels;
  const matches = selectorMatches(spec?.selector, spec?.template?.metadata?.labels ?? {});
  if (matches !== false) return [];
  const text = '`selector` does not match template `labels`';
  return [invalidValue(`${TEMPLATE}.metadata.labels`, shownMap(labels), text)];
}

/** Checks the template if the selector is valid; otherwise reports the selector with the message `unreadable`. */
export function validateBesideSelector(
  spec: WorkloadSpec | undefined,
  unreadable: string,
  validateTemplate: () => FieldError[],
): FieldError[] {
  const selector = spec?.selector;
  if (selectorMatches(selector, {}) === undefined)
    return [invalidValue('spec.selector', shownSelector(selector), unreadable)];
  return [...validateSelected(spec), ...validateTemplate()];
}

/** Pods of a workload run for ever. `kind` as messages name it. */
export function validateLasting(spec: Pick<WorkloadSpec, 'template'> | undefined, kind: string): FieldError[] {
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
export const validateReplicated = (spec: WorkloadSpec | undefined, context: PodContext): FieldError[] => [
  ...validateSelector(spec, 'deployment'),
  ...validateBesideSelector(spec, 'invalid label selector', () => [
    ...validateTemplate(spec?.template, TEMPLATE, context),
    ...((spec?.replicas ?? 0) > 1 ? validateReadOnlyDisks(spec?.template, TEMPLATE) : []),
    ...validateLasting(spec, 'ReplicaSet'),
  ]),
];
