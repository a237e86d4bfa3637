import { dnsLabelErrors, type FieldError, invalidValue, required } from '@orch/machinery';
import type {
  FCVolumeSource,
  FlockerVolumeSource,
  GlusterfsPersistentVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  RBDPersistentVolumeSource,
  RBDVolumeSource,
  ScaleIOPersistentVolumeSource,
  ScaleIOVolumeSource,
  StorageOSPersistentVolumeSource,
  StorageOSVolumeSource,
} from '@orch/schema/types/core/v1';
import { invalidEach, rangeText, requiredText } from '../../rules/checks.js';
import { shownStrings } from '../../values/go-syntax.js';

/** Volumes that a server in the network keeps. */

const MAX_LUN = 255;
const MAX_TENANT = 64;
const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';
/** Longest name that is tested; no valid name is as long. */
const TESTED_MAX = 4_096;
/** Names of initiators and targets: qualified, of an enterprise, of an authority. */
const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** Checks an NFS export: server, and an absolute path. */
export function validateNfs(source: NFSVolumeSource, path: string): FieldError[] {
  const place = source.path ?? '';
  return [
    ...requiredText(source, path, 'server'),
    ...requiredText(source, path, 'path'),
    ...(place.startsWith('/') ? [] : [invalidValue(`${path}.path`, place, 'must be an absolute path')]),
  ];
}

/** Checks an iSCSI disk: portal, names, LUN, and a secret if it authenticates. */
export function validateIscsi(source: ISCSIVolumeSource, path: string): FieldError[] {
  const lun = source.lun ?? 0;
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  const { initiatorName } = source;
  return [
    ...requiredText(source, path, 'targetPortal'),
    ...requiredText(source, path, 'iqn', iscsiNameErrors),
    ...(lun < 0 || lun > MAX_LUN ? [invalidValue(`${path}.lun`, lun, rangeText(0, MAX_LUN))] : []),
    ...(authenticates && !source.secretRef ? [required(`${path}.secretRef`)] : []),
    ...(typeof initiatorName === 'string'
      ? invalidEach(`${path}.initiatorname`, initiatorName, iscsiNameErrors(initiatorName))
      : []),
  ];
}

function iscsiNameErrors(name: string): string[] {
  const form = ISCSI_NAMES[name.slice(0, 3)];
  if (form === undefined) return ['must be valid format starting with iqn, eui, or naa'];
  return name.length <= TESTED_MAX && form.test(name) ? [] : ['must be valid format'];
}

/** Checks a Fibre Channel disk: target names with a LUN, or world wide identifiers. */
export function validateFibreChannel(source: FCVolumeSource, path: string): FieldError[] {
  const [targets, ids] = [source.targetWWNs ?? [], source.wwids ?? []];
  const field = `${path}.targetWWNs`;
  const errors: FieldError[] = [];
  if (targets.length + ids.length === 0) {
    errors.push(required(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    const text = 'targetWWNs and wwids can not be specified simultaneously';
    errors.push(invalidValue(field, shownStrings(targets), text));
  }
  const lun = source.lun;
  if (targets.length === 0) return errors;
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > MAX_LUN) errors.push(invalidValue(`${path}.lun`, lun, rangeText(0, MAX_LUN)));
  return errors;
}

const validateMonitors = (source: { readonly monitors?: readonly string[] }, path: string): FieldError[] =>
  (source.monitors ?? []).length === 0 ? [required(`${path}.monitors`)] : [];

/** Checks a RADOS block device: monitors and image. */
export const validateRbd = (source: RBDVolumeSource | RBDPersistentVolumeSource, path: string): FieldError[] => [
  ...validateMonitors(source, path),
  ...requiredText(source, path, 'image'),
];

/** Checks a CephFS volume: monitors. */
export const validateCephFs = validateMonitors;

/** Checks a Glusterfs volume: endpoints and path. */
export const validateGlusterfs = (
  source: GlusterfsVolumeSource | GlusterfsPersistentVolumeSource,
  path: string,
): FieldError[] => [...requiredText(source, path, 'endpoints'), ...requiredText(source, path, 'path')];

/** Checks a Quobyte volume: registry, tenant and volume. */
export const validateQuobyte = (source: QuobyteVolumeSource, path: string): FieldError[] => [
  ...validateRegistry(source.registry ?? '', source.tenant ?? '', path),
  ...requiredText(source, path, 'volume'),
];

function validateRegistry(registry: string, tenant: string, path: string): FieldError[] {
  if (registry === '') return [required(`${path}.registry`, REGISTRY)];
  if (tenant.length > MAX_TENANT) {
    return [required(`${path}.tenant`, `must be a UUID and may not exceed a length of ${MAX_TENANT} characters`)];
  }
  return registry.split(',').some((pair) => !isHostPort(pair))
    ? [invalidValue(`${path}.registry`, registry, REGISTRY)]
    : [];
}

/** `host:port`, where an IPv6 address stands in brackets. */
const isHostPort = (text: string): boolean => /^(\[[^[\]]*\]|[^[\]:]*):[^[\]:]*$/.test(text);

/** Checks a Flocker volume: either the name or the UUID of a dataset. */
export function validateFlocker(source: FlockerVolumeSource, path: string): FieldError[] {
  const [name, id] = [source.datasetName ?? '', source.datasetUUID ?? ''];
  const errors: FieldError[] = [];
  if (name === '' && id === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"));
  return errors;
}

/** Checks a StorageOS volume: name, namespace, and name of its secret. */
export function validateStorageOs(
  source: StorageOSVolumeSource | StorageOSPersistentVolumeSource,
  path: string,
): FieldError[] {
  const namespace = source.volumeNamespace ?? '';
  return [
    ...requiredText(source, path, 'volumeName', dnsLabelErrors),
    ...(namespace === '' ? [] : invalidEach(`${path}.volumeNamespace`, namespace, dnsLabelErrors(namespace))),
    ...(source.secretRef ? requiredText(source.secretRef, `${path}.secretRef`, 'name') : []),
  ];
}

/** Checks a ScaleIO volume: gateway, system and volume name. */
export const validateScaleIo = (
  source: ScaleIOVolumeSource | ScaleIOPersistentVolumeSource,
  path: string,
): FieldError[] => (['gateway', 'system', 'volumeName'] as const).flatMap((name) => requiredText(source, path, name));
