/** Types of addresses in the status of nodes. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

const NO_EFFECT = 'Taken from command lines and judged, without an effect yet: no request is passed on to nodes.';

/** Options that command lines of API servers have and that have no effect here yet. */
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
