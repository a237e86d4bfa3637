import { dnsSubdomainErrors, type Names } from '@orch/machinery';
import type { Endpoint, EndpointSlice } from '@orch/schema/types/discovery/v1';
import { gatedMember } from '../rules/gated-fields.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { desiredChanged } from '../rules/separation.js';
import { equal } from '../values/equal.js';
import { fill } from '../values/fields.js';
import { someOf, UNSET } from '../values/text.js';
import { validateEndpointSlice } from './endpoint-slice-validation.js';

const MAX_SHOWN = 3;

/**
 * Returns whether the labels are unchanged. They identify the Service of the endpoints, so a change increments the
 * generation.
 */
const sameLabels = (object: EndpointSlice, old: EndpointSlice): boolean =>
  equal(object.metadata?.labels ?? {}, old.metadata?.labels ?? {});

/** Rules of EndpointSlice. */
export const endpointSlice: KindDeclaration<EndpointSlice> = {
  generation: { first: 1, rises: (object, old) => desiredChanged(object, old) || !sameLabels(object, old) },
  gatedFields: [gatedMember('TopologyAwareHints', 'endpoints[].hints')],
  defaults(object) {
    for (const port of object.ports ?? []) {
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
    AddressType: object.addressType ?? '',
    Ports: ports(object),
    Endpoints: endpoints(object),
  }),
};

/**
 * Topology is read only in this version. Endpoints that had their node there, of those that the stored object has, keep
 * it under its own name.
 */
function dropTopology(object: EndpointSlice, names: Names, old?: EndpointSlice): void {
  const nodeOf = (endpoint: Endpoint): string => endpoint.deprecatedTopology?.[names.key('orch.io/hostname')] ?? '';
  const nodes = new Set((old?.endpoints ?? []).map(nodeOf));
  for (const endpoint of object.endpoints ?? []) {
    const node = nodeOf(endpoint);
    if (endpoint.nodeName === undefined && node !== '' && nodes.has(node) && dnsSubdomainErrors(node).length === 0)
      endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

function ports(object: EndpointSlice): string {
  const shown = (object.ports ?? []).map((port) => String(port.port ?? port.name ?? '*'));
  return shown.join('') === '' ? UNSET : someOf(shown, MAX_SHOWN);
}

function endpoints(object: EndpointSlice): string {
  const addresses = (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  return addresses.length === 0 ? UNSET : someOf(addresses, MAX_SHOWN);
}
