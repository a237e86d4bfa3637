import {
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';

const NOT_AN_OPERATOR = 'not a valid selector operator';
/** The only field of a node that can be asked for. */
const NODE_FIELD = 'metadata.name';

/** Nodes that a pod or a volume must be on: those that meet one of the terms. */
export function validateNodeSelector(selector: unknown, path: string): FieldError[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => validateNodeTerm(term, `${field}[${index}]`));
}

/** A term asks for all of its requirements, of labels and of fields. */
export const validateNodeTerm = (term: unknown, path: string): FieldError[] => [
  ...objectsAt(term, 'matchExpressions').flatMap((requirement, index) =>
    validateOfLabels(requirement, `${path}.matchExpressions[${index}]`),
  ),
  ...objectsAt(term, 'matchFields').flatMap((requirement, index) =>
    validateOfFields(requirement, `${path}.matchFields[${index}]`),
  ),
];

function validateOfLabels(requirement: Json, path: string): FieldError[] {
  const key = textAt(requirement, 'key');
  return [
    ...validateCount(textAt(requirement, 'operator'), stringsAt(requirement, 'values').length, path),
    ...invalidEach(`${path}.key`, key, qualifiedNameErrors(key)),
  ];
}

function validateCount(operator: string, count: number, path: string): FieldError[] {
  const field = `${path}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${path}.operator`, operator, NOT_AN_OPERATOR)];
  }
}

function validateOfFields(requirement: Json, path: string): FieldError[] {
  const [operator, key] = [textAt(requirement, 'operator'), textAt(requirement, 'key')];
  const values = stringsAt(requirement, 'values');
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(`${path}.operator`, operator, NOT_AN_OPERATOR));
  } else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${path}.values`, text));
  }
  if (key !== NODE_FIELD) return [...errors, invalidValue(`${path}.key`, key, 'not a valid field selector key')];
  return [
    ...errors,
    ...values.flatMap((value, index) => invalidEach(`${path}.values[${index}]`, value, dnsSubdomainErrors(value))),
  ];
}
