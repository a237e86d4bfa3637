const IN_FILE = 'say it in the file of --config, with which this option has no effect';
const UNUSED = 'it has no effect here';

/** Options that kube-scheduler has and advises against. */
export const deprecatedOptions = {
  'kube-api-qps': {
    type: 'float',
    min: 0,
    deprecated: `${IN_FILE}: clientConnection.qps`,
    help: 'Requests a second that the process may make. Default: no limit but that of the API.',
  },
  'kube-api-burst': {
    type: 'int',
    min: 0,
    deprecated: `${IN_FILE}: clientConnection.burst`,
    help: 'Requests that it may make at once.',
  },
  'kube-api-content-type': {
    type: 'string',
    deprecated: `${IN_FILE}: clientConnection.contentType`,
    help: 'Media type of requests. They are JSON whatever it is.',
  },
  'lock-object-name': {
    type: 'string',
    deprecated: 'use --leader-elect-resource-name',
    help: 'Name of the Lease, where there is no --config.',
  },
  'lock-object-namespace': {
    type: 'string',
    deprecated: 'use --leader-elect-resource-namespace',
    help: 'Namespace of the Lease, where there is no --config.',
  },
  'pod-max-in-unschedulable-pods-duration': {
    type: 'duration',
    default: 300_000,
    min: 1,
    deprecated: 'no release after 1.27 is going to have it',
    help: 'How long a pod waits at most for a change that could help, until it is tried again.',
  },
  profiling: { type: 'bool', default: true, deprecated: UNUSED, help: 'Profiles are not served.' },
  'contention-profiling': { type: 'bool', default: true, deprecated: UNUSED, help: 'Profiles are not served.' },
} as const;
