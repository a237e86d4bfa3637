import { dnsLabelErrors, type FieldError, invalidValue, required } from '@orch/machinery';
import { invalidEach, rangeText, requiredText } from '../../rules/checks.js';
import { countAt, isObject, type Json, numberAt, stringsAt, textAt } from '../../values/fields.js';
import { shownStrings } from '../../values/go-syntax.js';

/** Volumes that a server in the network keeps. */

const MAX_LUN = 255;
const MAX_TENANT = 64;
const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';
/** No name is as long; what is longer is not looked at. */
const TESTED_MAX = 4_096;
/** Names of initiators and targets: qualified, of an enterprise, of an authority. */
const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

export function validateNfs(source: Json, path: string): FieldError[] {
  const place = textAt(source, 'path');
  return [
    ...requiredText(source, path, 'server'),
    ...requiredText(source, path, 'path'),
    ...(place.startsWith('/') ? [] : [invalidValue(`${path}.path`, place, 'must be an absolute path')]),
  ];
}

export function validateIscsi(source: Json, path: string): FieldError[] {
  const lun = countAt(source, 'lun');
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  const { initiatorName } = source;
  return [
    ...requiredText(source, path, 'targetPortal'),
    ...requiredText(source, path, 'iqn', iscsiNameErrors),
    ...(lun < 0 || lun > MAX_LUN ? [invalidValue(`${path}.lun`, lun, rangeText(0, MAX_LUN))] : []),
    ...(authenticates && !isObject(source.secretRef) ? [required(`${path}.secretRef`)] : []),
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

export function validateFibreChannel(source: Json, path: string): FieldError[] {
  const [targets, ids] = [stringsAt(source, 'targetWWNs'), stringsAt(source, 'wwids')];
  const field = `${path}.targetWWNs`;
  const errors: FieldError[] = [];
  if (targets.length + ids.length === 0) {
    errors.push(required(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    const text = 'targetWWNs and wwids can not be specified simultaneously';
    errors.push(invalidValue(field, shownStrings(targets), text));
  }
  const lun = numberAt(source, 'lun');
  if (targets.length === 0) return errors;
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > MAX_LUN) errors.push(invalidValue(`${path}.lun`, lun, rangeText(0, MAX_LUN)));
  return errors;
}

const validateMonitors = (source: Json, path: string): FieldError[] =>
  stringsAt(source, 'monitors').length === 0 ? [required(`${path}.monitors`)] : [];

export const validateRbd = (source: Json, path: string): FieldError[] => [
  ...validateMonitors(source, path),
  ...requiredText(source, path, 'image'),
];

export const validateCephFs = validateMonitors;

export const validateGlusterfs = (source: Json, path: string): FieldError[] => [
  ...requiredText(source, path, 'endpoints'),
  ...requiredText(source, path, 'path'),
];

export const validateQuobyte = (source: Json, path: string): FieldError[] => [
  ...validateRegistry(textAt(source, 'registry'), textAt(source, 'tenant'), path),
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

export function validateFlocker(source: Json, path: string): FieldError[] {
  const [name, id] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  const errors: FieldError[] = [];
  if (name === '' && id === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"));
  return errors;
}

export function validateStorageOs(source: Json, path: string): FieldError[] {
  const namespace = textAt(source, 'volumeNamespace');
  return [
    ...requiredText(source, path, 'volumeName', dnsLabelErrors),
    ...(namespace === '' ? [] : invalidEach(`${path}.volumeNamespace`, namespace, dnsLabelErrors(namespace))),
    ...(isObject(source.secretRef) ? requiredText(source.secretRef, `${path}.secretRef`, 'name') : []),
  ];
}

export const validateScaleIo = (source: Json, path: string): FieldError[] =>
  ['gateway', 'system', 'volumeName'].flatMap((name) => requiredText(source, path, name));
