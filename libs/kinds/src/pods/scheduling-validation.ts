import {
  duplicate,
  type FieldError,
  invalidValue,
  labelValueErrors,
  notSupported,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import { invalidEach, oneOf } from '../rules/checks.js';
import { validateLabelSelector } from '../rules/label-selector.js';
import { countAt, type Json, objectsAt, textAt } from '../values/fields.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];
const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];

/** Where a pod may run: what it tolerates, how it is spread, what holds it back. */
export const validateScheduling = (spec: unknown, path: string): FieldError[] => [
  ...validateGates(spec, `${path}.schedulingGates`),
  ...objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
    validateSpread(constraint, `${path}.topologySpreadConstraints[${index}]`),
  ),
  ...objectsAt(spec, 'tolerations').flatMap((toleration, index) =>
    validateToleration(toleration, `${path}.tolerations[${index}]`),
  ),
];

function validateGates(spec: unknown, path: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const errors = invalidEach(`${path}[${index}]`, name, qualifiedNameErrors(name));
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}

function validateSpread(constraint: Json, path: string): FieldError[] {
  const skew = countAt(constraint, 'maxSkew');
  return [
    ...(skew > 0 ? [] : [invalidValue(`${path}.maxSkew`, skew, 'must be greater than zero')]),
    ...(textAt(constraint, 'topologyKey') === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
    ...oneOf(`${path}.whenUnsatisfiable`, constraint.whenUnsatisfiable, UNSATISFIABLE),
    ...validateLabelSelector(constraint.labelSelector, `${path}.labelSelector`),
  ];
}

function validateToleration(toleration: Json, path: string): FieldError[] {
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((name) => textAt(toleration, name));
  const errors = key ? invalidEach(`${path}.key`, key, qualifiedNameErrors(key)) : [];
  if (!key && operator !== 'Exists') {
    const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${path}.operator`, operator, text));
  }
  if (typeof toleration.tolerationSeconds === 'number' && effect !== 'NoExecute') {
    const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidValue(`${path}.effect`, effect, text));
  }
  errors.push(...validateTolerated(operator ?? '', textAt(toleration, 'value'), toleration, `${path}.operator`));
  if (effect && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
  return errors;
}

function validateTolerated(operator: string, value: string, toleration: Json, field: string): FieldError[] {
  if (operator === '' || operator === 'Equal') {
    const texts = labelValueErrors(value);
    return texts.length === 0 ? [] : [invalidValue(field, value, texts.join(';'))];
  }
  if (operator !== 'Exists') return [notSupported(field, operator, OPERATORS)];
  return value === '' ? [] : [invalidValue(field, toleration, "value must be empty when `operator` is 'Exists'")];
}
