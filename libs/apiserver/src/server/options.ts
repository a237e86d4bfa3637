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
  ...requestOptions,
  'livez-grace-period': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'How long /livez takes a process that is still starting for a live one.',
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
    help: 'Types that lie in another PostgreSQL: resource=postgres://… or group/resource=postgres://…',
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
