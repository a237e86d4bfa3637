import { componentServerOptions } from '@orch/component-server';
import { defineOptions, loggingOptions, type OptionValues } from '@orch/runtime';

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
  'leader-elect-resource-name': { type: 'string', help: 'Name of the Lease. Default: kube-scheduler.' },
  'leader-elect-resource-namespace': { type: 'string', help: 'Namespace of the Lease. Default: kube-system.' },
  ...componentServerOptions(10259),
  ...loggingOptions,
} as const;

/** Options of `orch scheduler`. */
export const schedulerOptions = defineOptions(definitions);

/** Their values. */
export type SchedulerOptionValues = OptionValues<typeof definitions>;
