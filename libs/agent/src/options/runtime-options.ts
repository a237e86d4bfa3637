import { checkEndpoint } from './checks.js';

/** Options of the container runtime. */
export const runtimeOptions = {
  'container-runtime-endpoint': {
    type: 'string',
    default: 'unix:///run/containerd/containerd.sock',
    check: checkEndpoint,
    help: 'Container runtime: unix:///path of a socket that speaks CRI v1, or process: for processes of this machine.',
  },
  'runtime-request-timeout': {
    type: 'duration',
    default: 120_000,
    min: 1,
    help: 'Time limit of requests to the container runtime, pulls of images and commands in containers excepted.',
  },
  'process-images': {
    type: 'string',
    help: 'Folder of the images of the runtime of processes: archives and folders in the OCI layout, or plain root folders.',
  },
  'process-isolation': {
    type: 'string',
    choices: ['namespaces', 'none'],
    default: 'namespaces',
    help: 'Isolation of containers that are processes: namespaces, with one user each where the agent is not root; or none at all.',
  },
} as const;
