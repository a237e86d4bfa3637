import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, ensureObject, isEmpty } from '../values/fields.js';
import { formatSelector } from '../values/text.js';
import { validateNetworkPolicy } from './network-policy-validation.js';

export const networkPolicy: KindDeclaration = {
  generation: true,
  // It has one that no subresource writes; who sends it does not own it.
  resetFields: { '': [['status']] },
  defaults(object) {
    const spec = ensureObject(object, 'spec');
    if (isEmpty(spec.policyTypes)) spec.policyTypes = isEmpty(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  validate: ({ spec }, _names, old) => validateNetworkPolicy(spec, old?.spec),
  row: (object) => ({ 'Pod-Selector': formatSelector(at(object, 'spec', 'podSelector')) }),
};
