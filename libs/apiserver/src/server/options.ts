import { authorizationOptions } from '@orch/access';
import { admissionOptions, webhookOptions } from '@orch/admission-host';
import { aggregationOptions } from '@orch/aggregation';
import { auditOptions } from '@orch/audit';
import { agentOptions } from '@orch/connections';
import { credentialOptions, serviceAccountOptions, signingOptions } from '@orch/credentials';
import { customResourceOptions } from '@orch/custom-resources';
import { encryptionOptions } from '@orch/encryption';
import { fairnessOptions } from '@orch/fairness';
import { natsOptions } from '@orch/feed';
import { kindOptions } from '@orch/kinds';
import { addressOptions, controllerOptions, maintenanceOptions } from '@orch/maintenance';
import { databaseListOptions } from '@orch/reading';
import {
  checkShownVersion,
  featureGateOptions,
  lifecycleOptions,
  loggingOptions,
  type OptionValues,
} from '@orch/runtime';
import { API_RELEASE, FEATURES, parseRuntimeConfig } from '@orch/schema';
import { connectionOptions, limitOptions, requestOptions } from '@orch/serving';
import { storageOptions } from '@orch/storage';
import { watchCacheOptions } from '@orch/watchcache';
import { nodeOptions } from './node-options.js';
import { parseOverrides } from './storage-overrides.js';

/** Options of every serving process. They have the names of Kubernetes API servers' options where such exist. */
export const servingOptions = {
  'secure-port': { type: 'int', default: 6443, min: 0, max: 65535, help: 'Port of HTTPS. 0 picks a free port.' },
  'bind-address': {
    type: 'string',
    default: '127.0.0.1',
    help: 'IP address to listen on. 0.0.0.0 listens on all interfaces.',
  },
  'advertise-host': {
    type: 'list',
    default: [],
    help: 'Further host names and addresses at which clients reach this server. They are added to its serving certificate.',
  },
  'insecure-port': {
    type: 'int',
    default: 0,
    min: 0,
    max: 65535,
    help: 'Port of plain HTTP on the loopback interface, for measurements. Credentials are needed there too. 0 disables it.',
  },
  ...addressOptions,
  ...nodeOptions,
  ...controllerOptions,
  ...credentialOptions,
  ...authorizationOptions,
  ...admissionOptions,
  ...serviceAccountOptions,
  ...signingOptions,
  'kubeconfig-out': { type: 'string', help: "File that an administrator's kubeconfig is written to." },
  'public-url': { type: 'string', help: 'URL of the server in the kubeconfig. Default: this server.' },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'API names on the wire. It is chosen once for an installation.',
  },
  'runtime-config': {
    type: 'list',
    default: [],
    check: parseRuntimeConfig,
    help: 'Groups, versions and resources to serve or not to serve, for example batch/v1=false, v1/secrets=false or api/all=true.',
  },
  'storage-versions': {
    type: 'list',
    default: [],
    help: "API versions in which objects are stored, for example autoscaling/v1, where it should not be this release's default. Objects stored in other versions can still be read. All servers must be of a release that has this option.",
  },
  ...requestOptions,
  'livez-grace-period': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long /livez reports a process that is still starting as live.',
  },
  ...fairnessOptions,
  ...limitOptions,
  ...connectionOptions,
  ...webhookOptions,
  ...kindOptions,
  ...aggregationOptions,
  ...agentOptions,
  ...auditOptions,
  'tracing-config-file': {
    type: 'string',
    help: 'File of a TracingConfiguration: endpoint (OTLP over HTTP) and samplingRatePerMillion. Default: no traces are sent.',
  },
  'show-hidden-metrics-for-version': {
    type: 'string',
    default: '',
    check: (version: string) => checkShownVersion(version, API_RELEASE),
    help: 'Previous minor release (1.26): shows the metrics that were deprecated in it and are hidden now. They will be removed in the next release.',
  },
  'heap-growth': {
    type: 'int',
    default: 200,
    min: 0,
    max: 1000,
    unit: 'percent',
    help: 'How much the JavaScript heap may grow beyond its size after the last full collection before the next one. A lower value saves memory, but delays events more often. 0 leaves it to V8.',
  },
  'collect-when-quiet': {
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'A process that has been idle for this long and has grown collects its garbage and returns memory to the system. 0 disables this.',
  },
  ...featureGateOptions(FEATURES),
  ...loggingOptions,
  ...lifecycleOptions,
} as const;

/** Options of the state and of what announces its changes. */
export const backendOptions = {
  ...storageOptions,
  'storage-override': {
    type: 'list',
    default: [],
    check: parseOverrides,
    help: 'Types that are stored in another PostgreSQL: resource=postgres://… or group/resource=postgres://…',
  },
  ...encryptionOptions,
  ...natsOptions,
  ...customResourceOptions,
  ...maintenanceOptions,
  ...watchCacheOptions,
  ...databaseListOptions,
} as const;

/** Values of {@link servingOptions}. */
export type ServingOptions = OptionValues<typeof servingOptions>;
/** Values of {@link backendOptions}. */
export type BackendOptions = OptionValues<typeof backendOptions>;
