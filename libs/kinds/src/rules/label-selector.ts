import {
  type FieldError,
  forbiddenField,
  invalidValue,
  labelSelectorOf,
  labelValueErrors,
  qualifiedNameErrors,
  required,
  SelectorError,
  validateLabels,
} from '@orch/machinery';
import { isObject, mapAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { invalidEach } from './checks.js';

/** Whether a LabelSelector object selects by anything at all. */
export const selectsAll = (selector: unknown): boolean =>
  Object.keys(mapAt(selector, 'matchLabels')).length + objectsAt(selector, 'matchExpressions').length === 0;

/** The form of a LabelSelector object, where there is one. `anyValues`: requirements may name values that no label can have. */
export function validateLabelSelector(selector: unknown, path: string, anyValues = false): FieldError[] {
  if (!isObject(selector)) return [];
  return [
    ...validateLabels(mapAt(selector, 'matchLabels'), `${path}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`, anyValues),
    ),
  ];
}

function validateRequirement(requirement: unknown, path: string, anyValues: boolean): FieldError[] {
  const key = textAt(requirement, 'key');
  const values = stringsAt(requirement, 'values');
  const judged = anyValues ? [] : values;
  return [
    ...validateOperator(textAt(requirement, 'operator'), values, path),
    ...invalidEach(`${path}.key`, key, qualifiedNameErrors(key)),
    ...judged.flatMap((value, index) => invalidEach(`${path}.values[${index}]`, value, labelValueErrors(value))),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidValue(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Whether labels fulfil a LabelSelector object; none does for an absent one. Undefined for what cannot be read. */
export function selectorMatches(selector: unknown, labels: Readonly<Record<string, string>>): boolean | undefined {
  try {
    return labelSelectorOf(isObject(selector) ? selector : undefined).matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
