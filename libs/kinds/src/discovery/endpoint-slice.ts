import { type ApiObject, dnsSubdomainErrors, type Names } from '@orch/machinery';
import { gatedMember } from '../rules/gated-fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { desiredChanged } from '../rules/separation.js';
import { equal } from '../values/equal.js';
import { fill, type Json, mapAt, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { someOf, UNSET } from '../values/text.js';
import { validateEndpointSlice } from './endpoint-slice-validation.js';

const MAX_SHOWN = 3;

/** Labels say whose endpoints these are, and count to the generation. */
const sameLabels = (object: ApiObject, old: ApiObject): boolean =>
  equal(object.metadata?.labels ?? {}, old.metadata?.labels ?? {});

export const endpointSlice: KindDeclaration = {
  generation: { first: 1, rises: (object, old) => desiredChanged(object, old) || !sameLabels(object, old) },
  gatedFields: [gatedMember('TopologyAwareHints', 'endpoints[].hints')],
  defaults(object) {
    for (const port of objectsAt(object, 'ports')) {
      fill(port, 'name', '');
      fill(port, 'protocol', 'TCP');
    }
  },
  prepareForCreate: (object, names) => dropTopology(object, names),
  prepareForUpdate(object, old, names) {
    if (!equal(object.endpoints, old.endpoints)) dropTopology(object, names, old);
  },
  validate: validateEndpointSlice,
  validateUpdate: (object, old) => immutableField(object, old, 'addressType'),
  // The field is called as clients know it from messages.
  warnings: ({ addressType }, _names, old) =>
    old || addressType !== 'FQDN' ? [] : ['spec.addressType: FQDN endpoints are deprecated'],
  row: (object) => ({
    AddressType: textAt(object, 'addressType'),
    Ports: ports(object),
    Endpoints: endpoints(object),
  }),
};

/**
 * Topology is read only in this version. Endpoints that had their node there, of those that the stored object has, keep it under its
 * own name.
 */
function dropTopology(object: ApiObject, names: Names, old?: ApiObject): void {
  const nodeOf = (endpoint: Json): string => mapAt(endpoint, 'deprecatedTopology')[names.key('orch.io/hostname')] ?? '';
  const nodes = new Set(objectsAt(old, 'endpoints').map(nodeOf));
  for (const endpoint of objectsAt(object, 'endpoints')) {
    const node = nodeOf(endpoint);
    if (endpoint.nodeName === undefined && node !== '' && nodes.has(node) && dnsSubdomainErrors(node).length === 0)
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

function ports(object: ApiObject): string {
  const shown = objectsAt(object, 'ports').map((port) => String(numberAt(port, 'port') ?? port.name ?? '*'));
  return shown.join('') === '' ? UNSET : someOf(shown, MAX_SHOWN);
}

function endpoints(object: ApiObject): string {
  const addresses = objectsAt(object, 'endpoints').flatMap((endpoint) => stringsAt(endpoint, 'addresses'));
  return addresses.length === 0 ? UNSET : someOf(addresses, MAX_SHOWN);
}
