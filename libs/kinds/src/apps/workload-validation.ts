import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type { PodContext } from '../pods/pod-context.js';
import { validateReadOnlyDisks, validateTemplate } from '../pods/template-validation.js';
import { selectorMatches, selectsAll, validateLabelSelector } from '../rules/label-selector.js';
import { at, countAt, isObject, mapAt, objectAt, textAt } from '../values/fields.js';
import { shownMap, shownSelector } from '../values/go-syntax.js';

const TEMPLATE = 'spec.template';

/** The selector of a workload that cannot be without one. `kind` as messages name it. */
export function validateSelector(spec: unknown, kind: string): FieldError[] {
  const selector = at(spec, 'selector');
  if (!isObject(selector)) return [required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (selectsAll(selector)) {
    errors.push(invalidValue('spec.selector', shownSelector(selector), `empty selector is invalid for ${kind}`));
  }
  return errors;
}

/** A workload must own the pods that it makes; of a selector that cannot be read that is not asked. */
export function validateSelected(spec: unknown): FieldError[] {
  const labels = at(spec, 'template', 'metadata', 'labels');
  const matches = selectorMatches(at(spec, 'selector'), mapAt(spec, 'template', 'metadata', 'labels'));
  if (matches !== false) return [];
  const text = '`selector` does not match template `labels`';
  return [invalidValue(`${TEMPLATE}.metadata.labels`, shownMap(labels), text)];
}

/** The template is looked at only beside a selector that can be read; else `unreadable` is said of that. */
export function validateBesideSelector(
  spec: unknown,
  unreadable: string,
  validateTemplate: () => FieldError[],
): FieldError[] {
  const selector = at(spec, 'selector');
  if (selectorMatches(selector, {}) === undefined)
    return [invalidValue('spec.selector', shownSelector(selector), unreadable)];
  return [...validateSelected(spec), ...validateTemplate()];
}

/** Pods of a workload run for ever. `kind` as messages name it. */
export function validateLasting(spec: unknown, kind: string): FieldError[] {
  const template = objectAt(spec, 'template', 'spec');
  const errors: FieldError[] = [];
  if (textAt(template, 'restartPolicy') !== 'Always') {
    errors.push(notSupported(`${TEMPLATE}.spec.restartPolicy`, textAt(template, 'restartPolicy'), ['Always']));
  }
  if (typeof template.activeDeadlineSeconds === 'number') {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(`${TEMPLATE}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}

/** Selector and template of Deployments and ReplicaSets. */
export const validateReplicated = (spec: unknown, context: PodContext): FieldError[] => [
  ...validateSelector(spec, 'deployment'),
  ...validateBesideSelector(spec, 'invalid label selector', () => [
    ...validateTemplate(at(spec, 'template'), TEMPLATE, context),
    ...(countAt(spec, 'replicas') > 1 ? validateReadOnlyDisks(at(spec, 'template'), TEMPLATE) : []),
    ...validateLasting(spec, 'ReplicaSet'),
  ]),
];
