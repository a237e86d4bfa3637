import { duplicate, type FieldError, qualifiedNameErrors } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { objectsAt, textAt } from '../values/fields.js';

/** Conditions that must be met beside those of the containers before a pod is ready. */
export const validateReadinessGates = (spec: unknown, path: string): FieldError[] =>
  objectsAt(spec, 'readinessGates').flatMap((gate, index) => {
    const type = textAt(gate, 'conditionType');
    return invalidEach(`${path}[${index}].conditionType`, type, qualifiedNameErrors(type));
  });

/** What must be taken away before a pod is scheduled. */
export function validateSchedulingGates(spec: unknown, path: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const errors = invalidEach(`${path}[${index}]`, name, qualifiedNameErrors(name));
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}
