import { checkAddresses, checkLabels, checkTaints } from './checks.js';

/** Options of the node: its name and object, and requests to the API. */
export const nodeOptions = {
  config: {
    type: 'string',
    help: 'File with options in the form of a KubeletConfiguration. Options on the command line win.',
  },
  kubeconfig: { type: 'string', help: 'Connection to the API. Without one, only static pods run.' },
  'bootstrap-kubeconfig': {
    type: 'string',
    help: 'Connection by which a client certificate is requested if the file of --kubeconfig does not exist.',
  },
  naming: {
    type: 'string',
    choices: ['orch', 'kubernetes'],
    default: 'orch',
    help: 'Product names in groups, labels and annotations: those of the API servers.',
  },
  'root-dir': { type: 'string', default: '/var/lib/node-agent', help: 'Folder of pods, their volumes among them.' },
  'hostname-override': { type: 'string', help: "Name of the node, instead of the machine's host name." },
  'node-ip': {
    type: 'list',
    check: checkAddresses,
    help: 'Address of the node, one of each family; default the address of the default route.',
  },
  'node-labels': { type: 'map', check: checkLabels, help: 'Labels of the node when it registers.' },
  'register-node': { type: 'bool', default: true, help: 'Whether the agent creates its Node.' },
  'register-with-taints': {
    type: 'list',
    check: checkTaints,
    help: 'Taints of the node when it registers: key=value:effect.',
  },
  'node-status-update-frequency': {
    type: 'duration',
    default: 10_000,
    min: 1,
    help: 'Interval at which the status of the node is computed. It is sent when it has changed.',
  },
  'node-status-report-frequency': {
    type: 'duration',
    default: 300_000,
    min: 1,
    help: 'Interval at which the status of the node is sent though it has not changed.',
  },
  'node-status-max-images': {
    type: 'int',
    default: 50,
    min: -1,
    help: 'Images listed in the status of the node, the largest first; -1 for all.',
  },
  'node-lease-duration-seconds': {
    type: 'int',
    default: 40,
    min: 1,
    unit: 'seconds',
    help: "Duration of the node's lease, which is renewed at a quarter of it.",
  },
  'kube-api-qps': { type: 'int', default: 50, min: 0, help: 'Requests to the API per second; 0 selects the default.' },
  'kube-api-burst': {
    type: 'int',
    default: 100,
    min: 0,
    help: 'Requests to the API that may go out at once; 0 selects the default.',
  },
  'kube-api-content-type': {
    type: 'string',
    choices: ['application/json', 'application/vnd.orch.protobuf', 'application/vnd.kubernetes.protobuf'],
    default: 'application/vnd.orch.protobuf',
    help: 'Media type of requests to the API: JSON, or protobuf, whose name follows --naming.',
  },
  'event-qps': { type: 'int', default: 50, min: 0, help: 'Events created per second; 0 selects the default.' },
  'event-burst': {
    type: 'int',
    default: 100,
    min: 0,
    help: 'Events that may be created at once; 0 selects the default.',
  },
} as const;
