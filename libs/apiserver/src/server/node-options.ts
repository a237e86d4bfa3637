import { isIP } from 'node:net';
import { isLoopback } from '@orch/maintenance';

/** @throws RangeError for what others cannot reach */
function checkAddress(address: string): void {
  if (isIP(address) === 0) throw new RangeError('it must be an address of IPv4 or IPv6');
  if (isLoopback(address) || address === '0.0.0.0' || address === '::')
    throw new RangeError('it must be an address that others reach this server by');
}

/** Options of how others find this server. */
export const addressOptions = {
  'advertise-address': {
    type: 'string',
    check: checkAddress,
    help: 'Address that others reach this server by: it stands in the Endpoints of the Service of the API, and where nothing else is named in the discovery document of the issuer of tokens. Default: that of --bind-address, or where that is all or a loopback address, of the interface with the default route.',
  },
  'endpoint-reconciler-type': {
    type: 'string',
    choices: ['lease', 'none'],
    default: 'lease',
    help: 'How Endpoints and EndpointSlice of the Service of the API are kept: the address of each server while it is alive, or not at all.',
  },
} as const;

/** Kinds of addresses that nodes tell of themselves. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

const NO_EFFECT = 'Taken from command lines and judged, without an effect yet: no request is passed on to nodes.';

/** Options that command lines of API servers have and that nothing goes by here yet. */
export const nodeOptions = {
  'kubelet-client-certificate': { type: 'string', help: `Client certificate for nodes. ${NO_EFFECT}` },
  'kubelet-client-key': { type: 'string', help: `Private key of --kubelet-client-certificate. ${NO_EFFECT}` },
  'kubelet-certificate-authority': {
    type: 'string',
    help: `Authorities of the certificates of nodes. ${NO_EFFECT}`,
  },
  'kubelet-preferred-address-types': {
    type: 'list',
    default: ADDRESS_TYPES,
    choices: ADDRESS_TYPES,
    help: `By which of their addresses nodes are asked, the first that there is. ${NO_EFFECT}`,
  },
  'kubelet-timeout': {
    type: 'duration',
    default: 5000,
    min: 0,
    help: `How long a node may take to answer. ${NO_EFFECT}`,
  },
  profiling: {
    type: 'bool',
    default: true,
    help: 'Taken from command lines, without an effect: no profiles are served either way.',
  },
} as const;
