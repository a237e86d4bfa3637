import type { ContainerConfig } from '../../containers.js';
import { UnsupportedFieldError } from '../../runtime-error.js';
import type { SandboxConfig } from '../../sandboxes.js';
import { excessCapabilities } from './capabilities.js';
import type { IsolationLevel } from './level.js';

/** A setting that cannot be provided: whether a configuration has it, its field, and why. */
type Refusal<Config> = readonly [isSet: (config: Config) => boolean, field: string, reason: string];

const NOT_ISOLATED = 'processes of this runtime do not have it';

const OF_SANDBOXES: readonly Refusal<SandboxConfig>[] = [
  [({ security }) => security.privileged === true, 'securityContext.privileged', NOT_ISOLATED],
  [
    ({ security }) => security.seccomp !== undefined && security.seccomp.type !== 'unconfined',
    'securityContext.seccompProfile',
    NOT_ISOLATED,
  ],
  [({ security }) => security.seLinux !== undefined, 'securityContext.seLinuxOptions', NOT_ISOLATED],
  [({ security }) => security.namespaces.users !== undefined, 'hostUsers', 'user namespaces are not mapped'],
  [({ security }) => security.namespaces.pid === 'node', 'hostPID', 'each container has its own processes'],
  [
    ({ security }) => security.namespaces.pid === 'pod',
    'shareProcessNamespace',
    'each container has its own processes',
  ],
  [({ sysctls = {} }) => Object.keys(sysctls).length > 0, 'securityContext.sysctls', "the network is the machine's"],
  [({ runtimeHandler = '' }) => runtimeHandler !== '', 'runtimeClassName', 'there is one kind of runtime only'],
  [
    ({ portMappings = [] }) =>
      portMappings.some(({ hostPort, containerPort }) => hostPort !== 0 && hostPort !== containerPort),
    'ports.hostPort',
    "the network is the machine's: it must equal containerPort",
  ],
];

const OF_CONTAINERS: readonly Refusal<ContainerConfig>[] = [
  [({ security }) => security.privileged === true, 'securityContext.privileged', NOT_ISOLATED],
  [
    ({ security }) => security.seccomp !== undefined && security.seccomp.type !== 'unconfined',
    'securityContext.seccompProfile',
    NOT_ISOLATED,
  ],
  [
    ({ security }) => security.appArmor !== undefined && security.appArmor.type !== 'unconfined',
    'container.apparmor.security.beta.kubernetes.io',
    NOT_ISOLATED,
  ],
  [({ security }) => security.seLinux !== undefined, 'securityContext.seLinuxOptions', NOT_ISOLATED],
  [({ security }) => security.namespaces.users !== undefined, 'hostUsers', 'user namespaces are not mapped'],
  [
    ({ security }) => security.namespaces.pid !== 'container',
    'shareProcessNamespace',
    'each container has its own processes',
  ],
  [({ devices = [], cdiDevices = [] }) => devices.length + cdiDevices.length > 0, 'devices', NOT_ISOLATED],
  [({ tty }) => tty === true, 'tty', 'there are no terminals'],
  [
    ({ mounts = [] }) => mounts.some(({ propagation = 'private' }) => propagation !== 'private'),
    'volumeMounts.mountPropagation',
    'mounts are private',
  ],
  [
    ({ resources }) => (resources?.hugepageLimits ?? []).some(({ limit }) => limit > 0),
    'resources.limits.hugepages',
    NOT_ISOLATED,
  ],
];

/** Settings that need root. */
const WITHOUT_ROOT: readonly Refusal<ContainerConfig>[] = [
  [
    ({ security }) => (security.supplementalGroups ?? []).length > 0,
    'securityContext.supplementalGroups',
    'it takes root',
  ],
  [
    ({ security }) => (security.capabilities?.add ?? []).length > 0,
    'securityContext.capabilities.add',
    'it takes root',
  ],
];

const WITHOUT_NAMESPACES: readonly Refusal<ContainerConfig>[] = [
  [
    ({ security }) => security.readOnlyRootFilesystem === true,
    'securityContext.readOnlyRootFilesystem',
    'there is no isolation',
  ],
  [
    ({ security }) => security.runAsUser !== undefined && security.runAsUser !== process.getuid?.(),
    'securityContext.runAsUser',
    'there is no isolation',
  ],
  [
    ({ security }) => security.runAsGroup !== undefined && security.runAsGroup !== process.getgid?.(),
    'securityContext.runAsGroup',
    'there is no isolation',
  ],
  [({ security }) => security.runAsUserName !== undefined, 'securityContext.runAsUserName', 'there is no isolation'],
  [({ security }) => security.capabilities !== undefined, 'securityContext.capabilities', 'there is no isolation'],
  [
    ({ mounts = [] }) => mounts.some((mount) => mount.hostPath !== mount.containerPath || mount.readOnly === true),
    'volumeMounts',
    'there is no isolation: files are where the node has them',
  ],
];

function check<Config>(refusals: readonly Refusal<Config>[], config: Config): void {
  for (const [isSet, field, reason] of refusals) if (isSet(config)) throw new UnsupportedFieldError(field, reason);
}

/** Refuses settings of a sandbox that processes cannot have. @throws UnsupportedFieldError */
export const checkSandbox = (config: SandboxConfig): void => check(OF_SANDBOXES, config);

/** Refuses settings of a container that processes cannot have. @throws UnsupportedFieldError */
export function checkContainer(config: ContainerConfig, level: IsolationLevel): void {
  check(OF_CONTAINERS, config);
  if (level !== 'namespaces') check(WITHOUT_ROOT, config);
  if (level === 'none') check(WITHOUT_NAMESPACES, config);
  const [excess] = excessCapabilities(config.security);
  if (excess !== undefined)
    throw new UnsupportedFieldError('securityContext.capabilities.add', `${excess} is not given`);
}

/** Refuses limits where there are no control groups. @throws UnsupportedFieldError */
export function checkLimits({ resources = {} }: ContainerConfig): void {
  const reason = 'no control groups can be made here';
  if (resources.memoryLimit !== undefined && resources.memoryLimit > 0)
    throw new UnsupportedFieldError('resources.limits.memory', reason);
  if (resources.cpuQuota !== undefined && resources.cpuQuota > 0)
    throw new UnsupportedFieldError('resources.limits.cpu', reason);
}
