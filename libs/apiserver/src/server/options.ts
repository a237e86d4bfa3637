import { featureGateOptions, lifecycleOptions, loggingOptions, type OptionValues } from '@orch/runtime';
import { FAILPOINTS } from './failpoints.js';

/** Options that every serving process has. Names are those of existing API servers where there are such. */
export const servingOptions = {
  'secure-port': { type: 'int', default: 6443, min: 0, max: 65535, help: 'Port of HTTPS; 0 picks a free one.' },
  'bind-address': { type: 'string', default: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 for all.' },
  'advertise-host': {
    type: 'list',
    default: [],
    help: 'Further host names and addresses that clients reach this server by; they go into its certificate.',
  },
  'insecure-port': {
    type: 'int',
    default: 0,
    min: 0,
    max: 65535,
    help: 'Port of plain HTTP on the loopback interface, for measurements; credentials are needed there too. 0 is off.',
  },
  'cert-dir': {
    type: 'string',
    default: 'pki',
    help: 'Folder of the certificate authority, certificates and keys; what is missing is made.',
  },
  'client-ca-file': {
    type: 'string',
    help: 'Certificate authorities whose client certificates are believed beside the one in --cert-dir.',
  },
  'token-auth-file': { type: 'string', help: 'Static tokens as CSV: token, user, uid, "group,group".' },
  'anonymous-auth': {
    type: 'bool',
    default: true,
    help: 'Let requests without credentials in as system:anonymous, who may see health and version.',
  },
  'kubeconfig-out': { type: 'string', help: "File to write an administrator's kubeconfig to." },
  'public-url': { type: 'string', help: 'Address that goes into the kubeconfig. Default: this server.' },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'Names on the wire; chosen once for an installation.',
  },
  'runtime-config': {
    type: 'string',
    default: '',
    help: 'Groups and versions to serve or not, as batch/v1=false or api/all=true.',
  },
  'max-request-bytes': { type: 'bytes', default: 3 << 20, min: 1024, help: 'Largest request body.' },
  'request-timeout': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'After which a request other than a watch is given up.',
  },
  'min-request-timeout': {
    type: 'int',
    default: 1800,
    min: 1,
    unit: 'seconds',
    help: 'A watch without timeoutSeconds ends at a random time between this and twice this.',
  },
  'service-cluster-ip-range': {
    type: 'string',
    default: '10.96.0.0/12',
    help: 'Network that Services get their addresses from.',
  },
  'service-node-port-range': {
    type: 'string',
    default: '30000-32767',
    help: 'Ports that Services of type NodePort get.',
  },
  ...featureGateOptions,
  ...loggingOptions,
  ...lifecycleOptions,
} as const;

/** Options of the state and of what announces its changes. */
export const backendOptions = {
  'postgres-url': {
    type: 'string',
    help: 'postgres://user:password@host:port,host:port/database?sslmode=…; several hosts for failover.',
  },
  'nats-url': { type: 'list', default: [], help: 'NATS servers that carry changes between processes.' },
  'nats-subject-prefix': { type: 'string', default: 'orch', help: 'First token of the subjects on NATS.' },
  'redis-url': { type: 'string', help: 'Redis for shared short-lived caches; may be absent at any time.' },
  'history-retention': { type: 'duration', default: 300_000, min: 1000, help: 'How long changes can be read back.' },
  'watch-cache-bytes': {
    type: 'bytes',
    default: 2 ** 30,
    min: 2 ** 20,
    help: 'Memory for state and recent changes of the types that are read here.',
  },
  'watch-bookmark-interval': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'About how often a watch that allows bookmarks gets one.',
  },
  failpoints: {
    type: 'list',
    default: [],
    help: `Deliberate defects, for the negative controls of the fault tests: ${FAILPOINTS.join(', ')}.`,
  },
} as const;

export type ServingOptions = OptionValues<typeof servingOptions>;
export type BackendOptions = OptionValues<typeof backendOptions>;
