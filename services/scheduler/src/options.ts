import { componentServerOptions } from '@orch/component-server';
import { defineOptions, featureGateOptions, loggingOptions, type OptionValues } from '@orch/runtime';
import { deprecatedOptions } from './deprecated-options.js';

/** Features that can be turned on and off. */
export const FEATURES = { VolumeCapacityPriority: { stage: 'alpha', default: false } } as const;

const definitions = {
  config: {
    type: 'string',
    help: 'File with a KubeSchedulerConfiguration. What it says of the connection wins over the options.',
  },
  'write-config-to': {
    type: 'string',
    help: 'File that the configuration is written to, with all defaults; the command then ends.',
  },
  kubeconfig: {
    type: 'string',
    help: 'File with the connection to the API. Default: KUBECONFIG, ~/.kube/config, or the pod that it runs in.',
  },
  master: {
    type: 'string',
    help: 'Address of the API, in place of that of the kubeconfig.',
  },
  'authentication-kubeconfig': {
    type: 'string',
    help: 'File with the connection on which the port asks who callers are (TokenReview). Default: that of the scheduler.',
  },
  'authorization-kubeconfig': {
    type: 'string',
    help: 'File with the connection on which the port asks what callers may (SubjectAccessReview). Default: that of the scheduler.',
  },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'API names on the wire, as those of the servers.',
  },
  'max-bindings': {
    type: 'int',
    default: 32,
    min: 1,
    help: 'Pods that are being bound at a time, each on a connection of its own. No other pod is scheduled beyond that.',
  },
  'leader-elect': {
    type: 'bool',
    default: true,
    help: 'Whether the process schedules only while it holds the Lease. False stands above the file, like the options of the Lease that follow.',
  },
  'leader-elect-lease-duration': {
    type: 'duration',
    min: 1,
    help: 'How long a Lease that is not renewed holds. Default: 15s.',
  },
  'leader-elect-renew-deadline': {
    type: 'duration',
    min: 1,
    help: 'How long the process goes on while it cannot renew the Lease. Default: 10s.',
  },
  'leader-elect-retry-period': {
    type: 'duration',
    min: 1,
    help: 'Time between attempts to have the Lease. Default: 2s.',
  },
  'leader-elect-resource-lock': {
    type: 'string',
    choices: ['leases'],
    default: 'leases',
    help: 'Kind of the object that is held. There is no other any more.',
  },
  'leader-elect-resource-name': { type: 'string', help: 'Name of the Lease. Default: kube-scheduler.' },
  'leader-elect-resource-namespace': { type: 'string', help: 'Namespace of the Lease. Default: kube-system.' },
  ...featureGateOptions(FEATURES),
  ...componentServerOptions(10259),
  ...deprecatedOptions,
  ...loggingOptions,
} as const;

/** Options of `orch scheduler`. */
export const schedulerOptions = defineOptions(definitions);

/** Their values. */
export type SchedulerOptionValues = OptionValues<typeof definitions>;
