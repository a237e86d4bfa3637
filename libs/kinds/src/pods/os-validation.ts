import { type FieldError, forbiddenField, notSupported, required } from '@orch/machinery';
import { at, isObject, objectAt, textAt } from '../values/fields.js';
import { eachContainer } from './containers.js';

const SYSTEMS = ['linux', 'windows'];
const FOR_LINUX = 'windows options cannot be set for a linux pod';
const FOR_WINDOWS = 'cannot be set for a windows pod';

/** Members of the pod that Windows has nothing for, in the order in which the reference tells them; a flag counts when it is on. */
const POD_MEMBERS: readonly (readonly ['context' | 'member' | 'flag', string])[] = [
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
const CONTAINER_MEMBERS = [
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
export function validateOs(spec: unknown, path: string): FieldError[] {
  if (!isObject(at(spec, 'os'))) return [];
  const system = textAt(spec, 'os', 'name');
  if (system === '') return [required(`${path}.os.name`, 'cannot be empty')];
  if (!SYSTEMS.includes(system)) return [notSupported(`${path}.os`, system, SYSTEMS)];
  return system === 'linux' ? validateLinux(spec, path) : validateWindows(spec, path);
}

function validateLinux(spec: unknown, path: string): FieldError[] {
  const look = (owner: unknown, field: string): FieldError[] =>
    isObject(at(owner, 'securityContext', 'windowsOptions'))
      ? [forbiddenField(`${field}.securityContext.windowsOptions`, FOR_LINUX)]
      : [];
  return [...look(spec, path), ...eachContainer(spec, path, look)];
}

function validateWindows(spec: unknown, path: string): FieldError[] {
  const context = objectAt(spec, 'securityContext');
  const pod = objectAt(spec);
  const isThere = (place: string, name: string): boolean =>
    place === 'flag' ? pod[name] === true : isSet((place === 'context' ? context : pod)[name], name === 'sysctls');
  return [
    ...POD_MEMBERS.filter(([place, name]) => isThere(place, name)).map(([place, name]) =>
      forbiddenField(place === 'context' ? `${path}.securityContext.${name}` : `${path}.${name}`, FOR_WINDOWS),
    ),
    ...eachContainer(spec, path, (container, field) => {
      const own = objectAt(container, 'securityContext');
      return CONTAINER_MEMBERS.filter((name) => isSet(own[name])).map((name) =>
        forbiddenField(`${field}.securityContext.${name}`, FOR_WINDOWS),
      );
    }),
  ];
}

/** Of most lists it counts that they are there. */
const isSet = (value: unknown, emptyIsUnset = false): boolean =>
  value !== undefined && value !== null && !(emptyIsUnset && Array.isArray(value) && value.length === 0);
