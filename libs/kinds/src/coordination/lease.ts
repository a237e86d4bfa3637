import { type FieldError, invalidValue } from '@orch/machinery';
import type { Lease, LeaseSpec } from '@orch/schema/types/coordination/v1';
import { nonNegativeMembers } from '../rules/checks.js';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Rules of Lease. */
export const lease: KindDeclaration<Lease> = {
  freeFinalizers: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate: ({ spec }) => validateLease(spec),
  row: (object) => ({ Holder: object.spec?.holderIdentity ?? '' }),
};

function validateLease(spec: LeaseSpec | undefined): FieldError[] {
  const seconds = spec?.leaseDurationSeconds;
  return [
    ...(seconds === undefined || seconds > 0
      ? []
      : [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...nonNegativeMembers(spec, 'spec', ['leaseTransitions']),
  ];
}
