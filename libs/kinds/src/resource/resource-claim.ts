import type { ResourceClaim } from '@orch/schema/types/resource/v1alpha2';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { isEmpty } from '../values/fields.js';
import { validateClaimSpec, validateClaimStatus } from './claim-validation.js';

/** Rules of ResourceClaim; the spec is immutable. */
export const resourceClaim: KindDeclaration<ResourceClaim> = {
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateStatus: (object, _names, old) => validateClaimStatus(object, old),
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    ResourceClassName: object.spec?.resourceClassName ?? '',
    AllocationMode: object.spec?.allocationMode ?? '',
    State: state(object),
  }),
};

function state(object: ResourceClaim): string {
  const states = [
    object.metadata?.deletionTimestamp && 'deleted',
    object.status?.allocation !== undefined && 'allocated',
    object.status?.deallocationRequested === true && 'deallocation-requested',
    !isEmpty(object.status?.reservedFor) && 'reserved',
  ].filter((word): word is string => typeof word === 'string' && word !== '');
  return object.status?.allocation === undefined ? [...states, 'pending'].join(',') : states.join(',');
}
