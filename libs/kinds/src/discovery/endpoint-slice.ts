import type { ApiObject } from '@orch/machinery';
import { gatedMember } from '../rules/gated-fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { someOf, UNSET } from '../values/text.js';
import { validateEndpointSlice } from './endpoint-slice-validation.js';

const MAX_SHOWN = 3;

export const endpointSlice: KindDeclaration = {
  generation: true,
  gatedFields: [gatedMember('TopologyAwareHints', 'endpoints[].hints')],
  defaults(object) {
    for (const port of objectsAt(object, 'ports')) {
      fill(port, 'name', '');
      fill(port, 'protocol', 'TCP');
    }
  },
  validate: validateEndpointSlice,
  validateUpdate: (object, old) => immutableField(object, old, 'addressType'),
  row: (object) => ({
    AddressType: textAt(object, 'addressType'),
    Ports: ports(object),
    Endpoints: endpoints(object),
  }),
};

function ports(object: ApiObject): string {
  const shown = objectsAt(object, 'ports').map((port) => String(numberAt(port, 'port') ?? port.name ?? '*'));
  return shown.join('') === '' ? UNSET : someOf(shown, MAX_SHOWN);
}

function endpoints(object: ApiObject): string {
  const addresses = objectsAt(object, 'endpoints').flatMap((endpoint) => stringsAt(endpoint, 'addresses'));
  return addresses.length === 0 ? UNSET : someOf(addresses, MAX_SHOWN);
}
