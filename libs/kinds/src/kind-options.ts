import { nodePortRange, serviceNetworks } from './allocation/ranges.js';

/** Options of built-in kinds: what pods may ask for, and where Services get addresses and ports from. */
export const kindOptions = {
  'allow-privileged': {
    type: 'bool',
    // kube-apiserver's own default is false, and every distribution of it sets true: system components need it.
    default: true,
    help: 'Allow containers with full rights on their node (securityContext.privileged, hostProcess).',
  },
  'service-cluster-ip-range': {
    type: 'string',
    default: '10.96.0.0/12',
    check: serviceNetworks,
    help: 'Networks of the cluster IPs of Services: one, or one of IPv4 and one of IPv6, the default first.',
  },
  'service-node-port-range': {
    type: 'string',
    default: '30000-32767',
    check: nodePortRange,
    help: 'Range of the ports of Services of type NodePort.',
  },
} as const;
