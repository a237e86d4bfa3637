import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired, keepStatus } from '../rules/separation.js';
import { at, ensureObject, isEmpty } from '../values/fields.js';
import { formatSelector } from '../values/text.js';
import { validateNetworkPolicy } from './network-policy-validation.js';

export const networkPolicy: KindDeclaration = {
  generation: true,
  keepsStatusOnCreate: true,
  subresources: { status: keepOrEmptyStatus },
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.policyTypes)) spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  validate: ({ spec }, _names, old) => validateNetworkPolicy(spec, old?.spec),
  row: (object) => ({ 'Pod-Selector': formatSelector(at(object, 'spec', 'podSelector')) }),
};

/** This release has the subresource but not the feature behind it: a status that is there can only be emptied. */
function keepOrEmptyStatus(object: ApiObject, old: ApiObject): void {
  keepDesired(object, old);
  if (isEmpty(at(object, 'status', 'conditions'))) object.status = {};
  else keepStatus(object, old);
}
