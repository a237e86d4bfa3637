import type { NetworkPolicy } from '@orch/schema/types/networking/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepDesired, keepStatus } from '../rules/separation.js';
import { ensureObject, isEmpty } from '../values/fields.js';
import { formatSelector } from '../values/text.js';
import { validateNetworkPolicy } from './network-policy-validation.js';

/** Rules of NetworkPolicy; policy types default to the directions that have rules, and always to ingress. */
export const networkPolicy: KindDeclaration<NetworkPolicy> = {
  generation: true,
  keepsStatusOnCreate: true,
  subresources: { status: keepOrEmptyStatus },
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.policyTypes)) spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  validate: ({ spec }, _names, old) => validateNetworkPolicy(spec, old?.spec),
  row: (object) => ({ 'Pod-Selector': formatSelector(object.spec?.podSelector) }),
};

/** This release has the subresource but not the feature behind it: a status that is there can only be emptied. */
function keepOrEmptyStatus(object: NetworkPolicy, old: NetworkPolicy): void {
  keepDesired(object, old);
  if (isEmpty(object.status?.conditions)) object.status = {};
  else keepStatus(object, old);
}
