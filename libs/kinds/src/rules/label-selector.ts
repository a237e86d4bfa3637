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
import type { LabelSelector, LabelSelectorRequirement } from '@orch/schema/types/meta/v1';
import { invalidEach } from './checks.js';

/** Whether a LabelSelector object selects by anything at all. */
export const selectsAll = (selector: LabelSelector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/**
 * The form of a LabelSelector object, where there is one.
 * @param lenient values that no label can have are let pass, for the sake of objects that were stored with such ones
 */
export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  lenient = false,
): FieldError[] {
  if (!selector) return [];
  return [
    ...validateLabels(selector.matchLabels ?? {}, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`, lenient),
    ),
  ];
}

/** Whether a LabelSelector object asks for values that no label can have. */
export const hasStrangeValue = (selector: LabelSelector | undefined): boolean =>
  (selector?.matchExpressions ?? []).some((requirement) =>
    (requirement.values ?? []).some((value) => labelValueErrors(value).length > 0),
  );

function validateRequirement(requirement: LabelSelectorRequirement, path: string, lenient: boolean): FieldError[] {
  const key = requirement.key ?? '';
  const values = requirement.values ?? [];
  const checked = lenient ? [] : values;
  return [
    ...validateOperator(requirement.operator ?? '', values, path),
    ...invalidEach(`${path}.key`, key, qualifiedNameErrors(key)),
    ...checked.flatMap((value, index) => invalidEach(`${path}.values[${index}]`, value, labelValueErrors(value))),
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
export function selectorMatches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean | undefined {
  try {
    return labelSelectorOf(selector ?? undefined).matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
