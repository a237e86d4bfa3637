import { duplicate, type FieldError, qualifiedNameErrors } from '@orch/machinery';
import type { PodSpec } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';

/** Conditions that must be met beside those of the containers before a pod is ready. */
export const validateReadinessGates = (spec: PodSpec | undefined, path: string): FieldError[] =>
  (spec?.readinessGates ?? []).flatMap((gate, index) => {
    const type = gate.conditionType ?? '';
    return invalidEach(`${path}[${index}].conditionType`, type, qualifiedNameErrors(type));
  });

/** Checks the gates that must be taken away before a pod is scheduled. */
export function validateSchedulingGates(spec: PodSpec | undefined, path: string): FieldError[] {
  const seen = new Set<string>();
  return (spec?.schedulingGates ?? []).flatMap((gate, index) => {
    const name = gate.name ?? '';
    const errors = invalidEach(`${path}[${index}]`, name, qualifiedNameErrors(name));
    if (seen.has(name)) errors.push(duplicate(`${path}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}
