import { type FieldError, forbiddenField, notSupported, required } from '@orch/machinery';
import type {
  Capabilities,
  PodSecurityContext,
  PodSpec,
  SELinuxOptions,
  SeccompProfile,
  SecurityContext,
  Sysctl,
  WindowsSecurityContextOptions,
} from '@orch/schema/types/core/v1';
import { type AnyContainer, eachContainer } from './containers.js';

const SYSTEMS = ['linux', 'windows'];
const FOR_LINUX = 'windows options cannot be set for a linux pod';
const FOR_WINDOWS = 'cannot be set for a windows pod';

/**
 * Members of a pod that Windows does not support, in the order in which the reference reports them; a flag counts only
 * if it is true.
 */
const POD_MEMBERS: readonly (
  | readonly ['context', keyof PodSecurityContext]
  | readonly ['member' | 'flag', 'hostUsers' | 'hostPID' | 'hostIPC' | 'shareProcessNamespace']
)[] = [
  ['context', 'seLinuxOptions'],
  ['member', 'hostUsers'],
  ['flag', 'hostPID'],
  ['flag', 'hostIPC'],
  ['context', 'seccompProfile'],
  ['context', 'fsGroup'],
  ['context', 'fsGroupChangePolicy'],
  ['context', 'sysctls'],
  ['member', 'shareProcessNamespace'],
  ['context', 'runAsUser'],
  ['context', 'runAsGroup'],
  ['context', 'supplementalGroups'],
];
const CONTAINER_MEMBERS: readonly (keyof SecurityContext)[] = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** A pod that names its system has nothing that the system does not know. */
export function validateOs(spec: PodSpec | undefined, path: string): FieldError[] {
  if (!spec?.os) return [];
  const system = spec?.os?.name ?? '';
  if (system === '') return [required(`${path}.os.name`, 'cannot be empty')];
  if (!SYSTEMS.includes(system)) return [notSupported(`${path}.os`, system, SYSTEMS)];
  return system === 'linux' ? validateLinux(spec, path) : validateWindows(spec, path);
}

function validateLinux(spec: PodSpec | undefined, path: string): FieldError[] {
  const look = (owner: PodSpec | AnyContainer | undefined, field: string): FieldError[] =>
    owner?.securityContext?.windowsOptions
      ? [forbiddenField(`${field}.securityContext.windowsOptions`, FOR_LINUX)]
      : [];
  return [...look(spec, path), ...eachContainer(spec, path, look)];
}

function validateWindows(spec: PodSpec | undefined, path: string): FieldError[] {
  const context = spec?.securityContext;
  const isThere = ([place, name]: (typeof POD_MEMBERS)[number]): boolean => {
    if (place === 'context') return isSet(context?.[name], name === 'sysctls');
    return place === 'flag' ? spec?.[name] === true : isSet(spec?.[name]);
  };
  return [
    ...POD_MEMBERS.filter(isThere).map(([place, name]) =>
      forbiddenField(place === 'context' ? `${path}.securityContext.${name}` : `${path}.${name}`, FOR_WINDOWS),
    ),
    ...eachContainer(spec, path, (container, field) => {
      const own = container.securityContext;
      return CONTAINER_MEMBERS.filter((name) => isSet(own?.[name])).map((name) =>
        forbiddenField(`${field}.securityContext.${name}`, FOR_WINDOWS),
      );
    }),
  ];
}

/** Whether a member is set: most lists count as set when they are there. */
const isSet = (
  value:
    | number
    | bigint
    | boolean
    | SeccompProfile
    | SELinuxOptions
    | WindowsSecurityContextOptions
    | readonly (number | bigint)[]
    | readonly Sysctl[]
    | string
    | Capabilities
    | undefined,
  emptyIsUnset = false,
): boolean => value !== undefined && value !== null && !(emptyIsUnset && Array.isArray(value) && value.length === 0);
