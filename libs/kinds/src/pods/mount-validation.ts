import { type FieldError, forbiddenField, invalidValue, notFoundValue, notSupported, required } from '@orch/machinery';
import type { Volume, VolumeDevice, VolumeMount } from '@orch/schema/types/core/v1';
import { invalidEach } from '../rules/checks.js';
import type { AnyContainer } from './containers.js';
import { isPrivileged } from './security-context-validation.js';
import { descendingPathErrors, noBackstepErrors } from './volumes/path-validation.js';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
type Volumes = ReadonlyMap<string, Volume>;

/** Checks the mounts of a container, of volumes that the pod must have; no place and no volume serves twice. */
export function validateMounts(container: AnyContainer, path: string, volumes: Volumes): FieldError[] {
  const [mounts, devices] = [container.volumeMounts ?? [], container.volumeDevices ?? []];
  const errors = validateFolders(mounts, placesOf(devices, 'devicePath'), `${path}.volumeMounts`, volumes, container);
  if (devices.length === 0) return errors;
  return [...errors, ...validateDevices(devices, placesOf(mounts, 'mountPath'), `${path}.volumeDevices`, volumes)];
}

interface Places {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

const NO_PLACES: Places = { names: new Set(), paths: new Set() };

/** Something with a name that stands at the place that one of its members says. */
type Placed<K extends string> = { readonly name?: string } & { readonly [member in K]?: string };

/** The places of a list, as the reference keeps them: of several with one name, the path of the last. */
function placesOf<K extends string>(items: readonly Placed<K>[], member: K): Places {
  if (items.length === 0) return NO_PLACES;
  const places = new Map(items.map((item) => [item.name ?? '', item[member] ?? '']));
  return { names: new Set(places.keys()), paths: new Set(places.values()) };
}

function validateFolders(
  mounts: readonly VolumeMount[],
  devices: Places,
  path: string,
  volumes: Volumes,
  container: AnyContainer,
): FieldError[] {
  const taken = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const [name, place] = [mount.name ?? '', mount.mountPath ?? ''];
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (place === '') errors.push(required(`${at}.mountPath`));
    if (taken.has(place)) errors.push(invalidValue(`${at}.mountPath`, place, 'must be unique'));
    taken.add(place);
    errors.push(...validateOverlap(mount, 'mountPath', at, devices, 'volumeDevices'));
    return [...errors, ...validateSubPaths(mount, at, path), ...validatePropagation(mount, path, container)];
  });
}

/** `listPath` is the place of all mounts: where the reference tells these. */
function validateSubPaths(mount: VolumeMount, path: string, listPath: string): FieldError[] {
  const [plain, expression] = [mount.subPath ?? '', mount.subPathExpr ?? ''];
  if (plain === '' && expression === '') return [];
  const both = plain !== '' && expression !== '';
  return [
    ...invalidEach(`${listPath}.subPath`, plain, descendingPathErrors(plain)),
    ...(both
      ? [invalidValue(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive')]
      : []),
    ...invalidEach(`${listPath}.subPathExpr`, expression, descendingPathErrors(expression)),
  ];
}

function validatePropagation(
  { mountPropagation: mode }: VolumeMount,
  listPath: string,
  container: AnyContainer,
): FieldError[] {
  const field = `${listPath}.mountPropagation`;
  if (typeof mode !== 'string') return [];
  if (!PROPAGATIONS.includes(mode)) return [notSupported(field, mode, PROPAGATIONS)];
  if (mode !== 'Bidirectional' || isPrivileged(container)) return [];
  return [forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateDevices(
  devices: readonly VolumeDevice[],
  mounts: Places,
  path: string,
  volumes: Volumes,
): FieldError[] {
  const [paths, names] = [new Set<string>(), new Set<string>()];
  return devices.flatMap((device, index) => {
    const at = `${path}[${index}]`;
    const [name, place] = [device.name ?? '', device.devicePath ?? ''];
    const errors = validateDeviceName(name, `${at}.name`, volumes, names);
    if (place === '') errors.push(required(`${at}.devicePath`));
    if (paths.has(place)) errors.push(invalidValue(`${at}.devicePath`, place, 'must be unique'));
    if (noBackstepErrors(place).length === 0) paths.add(place);
    else errors.push(invalidValue(`${at}.devicePath`, place, "can not contain backsteps ('..')"));
    return [...errors, ...validateOverlap(device, 'devicePath', at, mounts, 'volumeMounts')];
  });
}

/** Only what is claimed can be had as a block device. */
function validateDeviceName(name: string, field: string, volumes: Volumes, taken: Set<string>): FieldError[] {
  const volume = volumes.get(name);
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(field));
  if (taken.has(name)) errors.push(invalidValue(field, name, 'must be unique'));
  if (name !== '') taken.add(name);
  if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
    const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    errors.push(invalidValue(field, name, text));
  }
  if (!volume) errors.push(notFoundValue(field, name));
  return errors;
}

/** Refuses what is mounted both ways, or at the same place. */
function validateOverlap<K extends string>(
  item: Placed<K>,
  member: K,
  path: string,
  others: Places,
  otherList: string,
): FieldError[] {
  const [name, place] = [item.name ?? '', item[member] ?? ''];
  const errors: FieldError[] = [];
  if (others.names.has(name)) {
    errors.push(invalidValue(`${path}.name`, name, `must not already exist in ${otherList}`));
  }
  if (others.paths.has(place)) {
    errors.push(invalidValue(`${path}.${member}`, place, `must not already exist as a path in ${otherList}`));
  }
  return errors;
}
