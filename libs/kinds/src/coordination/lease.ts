import { type FieldError, invalidValue } from '@orch/machinery';
import { nonNegativeMembers } from '../rules/checks.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { numberAt, textAt } from '../values/fields.js';

export const lease: KindDeclaration = {
  freeFinalizers: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate: ({ spec }) => validateLease(spec),
  row: (object) => ({ Holder: textAt(object, 'spec', 'holderIdentity') }),
};

function validateLease(spec: unknown): FieldError[] {
  const seconds = numberAt(spec, 'leaseDurationSeconds');
  return [
    ...(seconds === undefined || seconds > 0
      ? []
      : [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...nonNegativeMembers(spec, 'spec', ['leaseTransitions']),
  ];
}
