import type { ApiObject } from '@orch/machinery';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, isEmpty, textAt } from '../values/fields.js';
import { validateClaimSpec, validateClaimStatus } from './claim-validation.js';

export const resourceClaim: KindDeclaration = {
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateStatus: (object, _names, old) => validateClaimStatus(object, old),
  validateUpdate: (object, old) => immutableField(object, old, 'spec'),
  row: (object) => ({
    ResourceClassName: textAt(object, 'spec', 'resourceClassName'),
    AllocationMode: textAt(object, 'spec', 'allocationMode'),
    State: state(object),
  }),
};

function state(object: ApiObject): string {
  const states = [
    object.metadata?.deletionTimestamp && 'deleted',
    at(object, 'status', 'allocation') !== undefined && 'allocated',
    at(object, 'status', 'deallocationRequested') === true && 'deallocation-requested',
    !isEmpty(at(object, 'status', 'reservedFor')) && 'reserved',
  ].filter((word): word is string => typeof word === 'string' && word !== '');
  return at(object, 'status', 'allocation') === undefined ? [...states, 'pending'].join(',') : states.join(',');
}
