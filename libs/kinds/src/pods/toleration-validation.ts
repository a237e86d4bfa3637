import { type FieldError, invalidValue, labelValueErrors, notSupported, qualifiedNameErrors } from '@orch/machinery';
import type { Toleration } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import { numberOf } from '../values/fields.js';
import { shownToleration } from './shown-values.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];

/** Taints that a pod bears. */
export const validateTolerations = (tolerations: readonly Toleration[], path: string): FieldError[] =>
  tolerations.flatMap((toleration, index) => validateToleration(toleration, `${path}[${index}]`));

function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const [key, operator] = [toleration.key ?? '', toleration.operator ?? ''];
  const effect = toleration.effect ?? '';
  const errors = key ? invalidEach(`${path}.key`, key, qualifiedNameErrors(key)) : [];
  if (!key && operator !== 'Exists') {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${path}.operator`, operator, text));
  }
  if (numberOf(toleration.tolerationSeconds) !== undefined && effect !== 'NoExecute') {
    const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidValue(`${path}.effect`, effect, text));
  }
  errors.push(...validateTolerated(operator, toleration, `${path}.operator`));
  if (effect && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
  return errors;
}

function validateTolerated(operator: string, toleration: Toleration, field: string): FieldError[] {
  const value = toleration.value ?? '';
  if (operator === '' || operator === 'Equal') {
    const texts = labelValueErrors(value);
    return texts.length === 0 ? [] : [invalidValue(field, value, texts.join(';'))];
  }
  if (operator !== 'Exists') return [notSupported(field, operator, OPERATORS)];
  if (value === '') return [];
  return [invalidValue(field, shownToleration(toleration), "value must be empty when `operator` is 'Exists'")];
}
