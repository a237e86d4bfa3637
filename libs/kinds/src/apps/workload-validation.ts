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

/** A workload must own the pods that it makes. */
export function validateSelected(spec: unknown, unreadable = 'invalid label selector'): FieldError[] {
  const selector = at(spec, 'selector');
  const labels = at(spec, 'template', 'metadata', 'labels');
  const matches = selectorMatches(selector, mapAt(spec, 'template', 'metadata', 'labels'));
  if (matches === undefined) return [invalidValue('spec.selector', shownSelector(selector), unreadable)];
  if (matches) return [];
  const text = '`selector` does not match template `labels`';
  return [invalidValue(`${TEMPLATE}.metadata.labels`, shownMap(labels), text)];
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
  ...validateSelected(spec),
  ...validateTemplate(at(spec, 'template'), TEMPLATE, context),
  ...(countAt(spec, 'replicas') > 1 ? validateReadOnlyDisks(at(spec, 'template'), TEMPLATE) : []),
  ...validateLasting(spec, 'ReplicaSet'),
];
