import { authorizationOptions } from '@orch/access';
import { admissionOptions, webhookOptions } from '@orch/admission-host';
import { aggregationOptions } from '@orch/aggregation';
import { credentialOptions, serviceAccountOptions, signingOptions } from '@orch/credentials';
import { nodePortRange, serviceNetworks } from '@orch/kinds';
import {
  checkShownVersion,
  featureGateOptions,
  lifecycleOptions,
  loggingOptions,
  type OptionValues,
} from '@orch/runtime';
import { API_RELEASE, FEATURES, parseRuntimeConfig } from '@orch/schema';
import { auditOptions } from './audit-options.js';
import { connectionOptions } from './connection-options.js';
import { controllerOptions } from './controller-options.js';
import { encryptionOptions } from './encryption-options.js';
import { limitOptions } from './limit-options.js';
import { natsOptions } from './nats-options.js';
import { addressOptions, nodeOptions } from './node-options.js';
import { parseOverrides } from './storage-overrides.js';

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
  ...addressOptions,
  ...nodeOptions,
  ...controllerOptions,
  ...credentialOptions,
  ...authorizationOptions,
  ...admissionOptions,
  ...serviceAccountOptions,
  ...signingOptions,
  'kubeconfig-out': { type: 'string', help: "File to write an administrator's kubeconfig to." },
  'public-url': { type: 'string', help: 'Address that goes into the kubeconfig. Default: this server.' },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'Names on the wire; chosen once for an installation.',
  },
  'runtime-config': {
    type: 'list',
    default: [],
    check: parseRuntimeConfig,
    help: 'Groups, versions and resources to serve or not, as batch/v1=false, v1/secrets=false or api/all=true.',
  },
  'storage-versions': {
    type: 'list',
    default: [],
    help: 'Versions that objects are written in, as autoscaling/v1, where it is not to be the one of this release; what was written in another is read all the same. Every server must be of a release that has this option.',
  },
  'max-request-bytes': { type: 'bytes', default: 3 << 20, min: 1024, help: 'Largest request body.' },
  'max-request-values': {
    type: 'int',
    default: 50_000,
    min: 1000,
    help: 'Most values (scalars, objects and lists) in a request body, whatever its encoding, and in an object as it is stored, but for its metadata.managedFields: they cost more than bytes do, and other requests wait for them.',
  },
  'max-owned-values': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'Most values of an object for which it is noted who set which field when it is created or updated: owners are as many values again. A larger one keeps the owners that it has; who applies to it owns what it says all the same.',
  },
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
  'livez-grace-period': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long /livez takes a process that is still starting for a live one.',
  },
  'max-watch-age': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'A watch ends at a random time between half of this and this, whatever it asked for, so that its client comes back by way of the load balancer; 0 is off.',
  },
  'watch-buffer-bytes': {
    type: 'bytes',
    default: 48 << 10,
    min: 16 << 10,
    help: 'What the connection of one watch may hold in memory of its own while its client does not read.',
  },
  'tcp-user-timeout': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'A connection is given up when its client has acknowledged nothing for so long though something was sent to it, on Linux; 0 leaves that to the kernel. The same holds for connections to gateways and extension servers, and idle ones of these are probed, so that they end as soon.',
  },
  'gateway-silence-timeout': {
    type: 'duration',
    default: 180_000,
    min: 0,
    help: 'A watch with bookmarks that was handed to a gateway is cut when nothing has come from there for so long, so that its client goes on elsewhere; 0 is off. Keep it well above the --watch-bookmark-interval of the gateways.',
  },
  'http2-max-streams-per-connection': {
    type: 'int',
    default: 1000,
    min: 1,
    max: 100_000,
    help: 'Requests, watches among them, that may be open at once on one connection of HTTP/2.',
  },
  ...limitOptions,
  ...connectionOptions,
  ...webhookOptions,
  'allow-privileged': {
    type: 'bool',
    // kube-apiserver's own default is false, and every distribution of it sets true: system components need it.
    default: true,
    help: 'Pods may have containers with all rights on their node (securityContext.privileged, hostProcess).',
  },
  'service-cluster-ip-range': {
    type: 'string',
    default: '10.96.0.0/12',
    check: serviceNetworks,
    help: 'Networks that Services get their addresses from: one, or one of IPv4 and one of IPv6, the default first.',
  },
  'service-node-port-range': {
    type: 'string',
    default: '30000-32767',
    check: nodePortRange,
    help: 'Ports that Services of type NodePort get.',
  },
  ...aggregationOptions,
  ...auditOptions,
  'slow-request-threshold': {
    type: 'duration',
    default: 1000,
    min: 0,
    help: 'A request that takes longer, other than a watch, is logged with its legs; 0 for none.',
  },
  'tracing-config-file': {
    type: 'string',
    help: 'File of a TracingConfiguration: endpoint (OTLP over HTTP) and samplingRatePerMillion. Default: no traces.',
  },
  'show-hidden-metrics-for-version': {
    type: 'string',
    default: '',
    check: (version: string) => checkShownVersion(version, API_RELEASE),
    help: 'The previous minor release (1.26): metrics that were deprecated by then and are hidden now show once more. They go with the next release.',
  },
  'heap-growth': {
    type: 'int',
    default: 200,
    min: 0,
    max: 1000,
    unit: 'percent',
    help: "How much JavaScript's heap may grow beyond what lived at the last full collection before the next one; less saves memory and makes events late more often. 0 leaves it to V8.",
  },
  'collect-when-quiet': {
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'A process that has had nothing to do for so long collects its garbage and gives memory back, if it has grown; 0 is never.',
  },
  'shutdown-watch-rate': {
    type: 'int',
    default: 250,
    min: 1,
    help: 'Watches that a shutdown ends in a second, so that their clients do not come to the other servers all at once. It takes no longer than half of --shutdown-drain-duration.',
  },
  ...featureGateOptions(FEATURES),
  ...loggingOptions,
  ...lifecycleOptions,
} as const;

/** Options of the state and of what announces its changes. */
export const backendOptions = {
  'postgres-url': {
    type: 'string',
    help: 'postgres://user:password@host:port,host:port/database?sslmode=…; several hosts for failover.',
  },
  'postgres-pooling': {
    type: 'string',
    choices: ['session', 'transaction'],
    default: 'session',
    help: 'transaction when the URL leads to a pooler that lends sessions for single transactions, as PgBouncer can.',
  },
  'postgres-read-url': {
    type: 'string',
    help: 'A read replica, for reads that ask for resourceVersion 0. One that is behind what was read before is passed over.',
  },
  'postgres-read-connections': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'Connections for short reads. One more writes, one does maintenance, and lists and history have their own.',
  },
  'postgres-history-connections': {
    type: 'int',
    default: 2,
    min: 1,
    help: 'Connections for pages of history: what watches that resume have missed, and changes that were not announced.',
  },
  'history-page-bytes': {
    type: 'bytes',
    default: 2 ** 21,
    min: 2 ** 16,
    help: 'Bytes of bodies that are read of the history at a time, at most, unless one change alone has more.',
  },
  migrate: {
    type: 'bool',
    default: true,
    help: 'A schema of the database that is older than this release needs is migrated at start; else the server refuses to start on one.',
  },
  'write-queue-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 2 ** 20,
    help: 'Objects that may wait to be written to a database; more are refused with 503 and Retry-After.',
  },
  'storage-override': {
    type: 'list',
    default: [],
    check: parseOverrides,
    help: 'Types that lie in another PostgreSQL: resource=postgres://… or group/resource=postgres://…',
  },
  ...encryptionOptions,
  ...natsOptions,
  'history-retention': { type: 'duration', default: 300_000, min: 1000, help: 'How long changes can be read back.' },
  'storage-migration-rate': {
    type: 'int',
    default: 100,
    min: 1,
    help: 'Objects of custom kinds that are written anew in a second at most, after the version that they are stored in has changed.',
  },
  'event-ttl': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How long events are kept after they were last written, of whichever group they were written as. 0 keeps them.',
  },
  'unused-claim-age': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'How long a claim on an address or node port must have been without a Service to be given up; at least twice --request-timeout. 0 never looks.',
  },
  'quota-verify-interval': {
    type: 'duration',
    default: 3_600_000,
    min: 0,
    help: 'How often each quota is counted again to see whether what it tells is true, one quota a second at most. 0 never looks.',
  },
  'watch-cache-bytes': {
    type: 'bytes',
    default: 2 ** 30,
    min: 2 ** 20,
    help: 'Memory for state and recent changes of the types that are read here.',
  },
  'list-load-bytes': {
    type: 'bytes',
    default: 2 ** 27,
    min: 0,
    help: 'Largest type that a list takes into memory; larger ones are read from PostgreSQL each time, unless watched.',
  },
  'database-lists': {
    type: 'int',
    default: 6,
    min: 1,
    help: 'Lists that read from PostgreSQL at a time; the others wait. Each takes a connection and a few MiB. One whose client does not read gives its place back.',
  },
  'database-lists-per-user': {
    type: 'int',
    default: 3,
    min: 1,
    help: 'The same of the lists of one user.',
  },
  'list-window-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 4 << 20,
    help: 'Memory for what lists have read from PostgreSQL ahead of clients that do not read, 4 MiB a list; beyond it they read page by page.',
  },
  'list-window-bytes-per-user': {
    type: 'bytes',
    default: 16 << 20,
    min: 4 << 20,
    help: 'The same of the lists of one user.',
  },
  'watch-cache-check-interval': {
    type: 'duration',
    default: 600_000,
    min: 0,
    help: 'How often each state in memory is compared with the database; 0 is never.',
  },
  'watch-ring-bytes': {
    type: 'bytes',
    default: 32 << 20,
    min: 2 ** 20,
    help: 'Memory of each type for what changes have replaced lately, which watches resume from without the database.',
  },
  'watch-frame-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for encoded events, for watches that are a little behind the others.',
  },
  'watch-gather': {
    type: 'duration',
    default: 10,
    min: 0,
    help: 'Longest time that events for many watches of the same are gathered, so that they go out together.',
  },
  'watch-history-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 0,
    help: 'Memory of each type for changes that have left it, while watches resume from there.',
  },
  'watch-cache-indexes': {
    type: 'int',
    default: 16,
    min: 0,
    help: 'Label keys and fields of each type that selectors may have indexed at a time.',
  },
  'watch-selector-terms': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Conditions and values in the selectors that an event of a type has matched, each different one counting 4 more; further watches are answered with 429. What a name, one field or one label finds does not count, but each whole KiB of a selector counts 1. 0 is no bound.',
  },
  'watch-selector-terms-per-user': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'The same in the watches of one user on a type.',
  },
  'watch-initial-bytes': {
    type: 'bytes',
    default: 256 << 20,
    min: 0,
    help: 'Memory for what watches are reading of their initial state: the list of its objects, objects of more than 32 KiB on their way to clients, and up to a quarter for encoded pieces, which are made again where they are gone. Further watches that want their initial state are answered with 429. 0 is no bound.',
  },
  'watch-initial-bytes-per-user': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'The same of the watches of one user, without the encoded pieces; one watch may always read.',
  },
  'watch-stall-timeout': {
    type: 'duration',
    default: 45_000,
    min: 1000,
    help: 'How long a client may read nothing of a watch that is still sending its initial state, or history from PostgreSQL; then the watch ends with 410.',
  },
  'list-cache-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for the encoded and compressed bytes of lists that are asked for again; 0 keeps none.',
  },
  'watch-bookmark-interval': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'About how often a watch that allows bookmarks gets one.',
  },
} as const;

/** Values of {@link servingOptions}. */
export type ServingOptions = OptionValues<typeof servingOptions>;
/** Values of {@link backendOptions}. */
export type BackendOptions = OptionValues<typeof backendOptions>;
