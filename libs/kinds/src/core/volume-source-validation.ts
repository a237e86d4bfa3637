import { dnsLabelErrors, type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import { invalidEach, isOneOf, rangeText, requiredText } from '../rules/checks.js';
import { countAt, isEmpty, isObject, type Json, mapAt, numberAt, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { validateDriverName, validateSecretOf } from './csi-validation.js';
import { validateIscsi } from './iscsi-validation.js';

/** Where persistent volumes can lie. */

type SourceCheck = (source: Json, path: string, volume: string) => FieldError[];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const MAX_TENANT = 64;
const MAX_BYTE = 255;

const needs =
  (...names: string[]): SourceCheck =>
  (source, path) =>
    names.flatMap((name) => (isEmpty(source[name]) || source[name] === '' ? [required(`${path}.${name}`)] : []));

const all =
  (...checks: SourceCheck[]): SourceCheck =>
  (source, path, volume) =>
    checks.flatMap((check) => check(source, path, volume));

/** By the member that holds the source, in the order in which they are looked at; the first is the source. */
const SOURCES: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['hostPath', validateHostPath],
  // The path of its errors is as clients know it.
  [
    'gcePersistentDisk',
    (source, path) => validateDisk('pdName')(source, path.replace('gcePersistent', 'persistent'), ''),
  ],
  ['awsElasticBlockStore', validateDisk('volumeID')],
  ['glusterfs', all(needs('endpoints', 'path'), validateEndpointsNamespace)],
  ['flocker', validateFlocker],
  ['nfs', all(needs('server', 'path'), absolutePath)],
  ['rbd', needs('monitors', 'image')],
  ['quobyte', validateQuobyte],
  ['cephfs', needs('monitors')],
  ['iscsi', validateIscsi],
  ['cinder', all(needs('volumeID'), namedSecret)],
  ['fc', validateFibreChannel],
  ['flexVolume', all(needs('driver'), validateFlexOptions)],
  ['azureFile', all(needs('secretName', 'shareName'), secretNamespace)],
  ['vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', needs('pdID')],
  ['portworxVolume', needs('volumeID')],
  ['azureDisk', all(needs('diskName', 'diskURI'), validateAzureDisk)],
  ['scaleIO', needs('gateway', 'system', 'volumeName')],
  ['local', validateLocal],
  ['storageos', validateStorageOs],
  ['csi', validateCsi],
]);

/** The members of a spec that say where the volume lies. */
export const sourcesOf = (spec: unknown): string[] =>
  isObject(spec) ? [...SOURCES.keys()].filter((name) => isObject(spec[name])) : [];

/** One source. `volume` is the name of the volume, `path` that of its spec. */
export function validateSource(spec: Json, path: string, volume: string): FieldError[] {
  const [first, ...others] = sourcesOf(spec);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const errors = SOURCES.get(first)?.(spec[first] as Json, `${path}.${first}`, volume) ?? [];
  const more = others.map((name) =>
    forbiddenField(`${path}.${name === 'cephfs' ? 'cephFS' : name}`, 'may not specify more than 1 volume type'),
  );
  return [...errors, ...more];
}

const withoutBacksteps = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];

function validateHostPath(source: Json, path: string): FieldError[] {
  const where = textAt(source, 'path');
  if (where === '') return [required(`${path}.path`)];
  return [...withoutBacksteps(where, `${path}.path`), ...isOneOf(`${path}.type`, source.type, HOST_PATH_TYPES)];
}

function validateLocal(source: Json, path: string): FieldError[] {
  const where = textAt(source, 'path');
  return where === '' ? [required(`${path}.path`)] : withoutBacksteps(where, `${path}.path`);
}

function validateDisk(identity: string): SourceCheck {
  return (source, path) => {
    const partition = countAt(source, 'partition');
    const fits = partition >= 0 && partition <= MAX_BYTE;
    return [
      ...needs(identity)(source, path, ''),
      ...(fits ? [] : [invalidValue(`${path}.partition`, partition, rangeText(1, MAX_BYTE))]),
    ];
  };
}

function validateEndpointsNamespace({ endpointsNamespace: namespace }: Json, path: string): FieldError[] {
  if (typeof namespace !== 'string') return [];
  const field = `${path}.endpointsNamespace`;
  const text = 'if the endpointnamespace is set, it must be a valid namespace name';
  return namespace === ''
    ? [invalidValue(field, namespace, text)]
    : invalidEach(field, namespace, dnsLabelErrors(namespace));
}

function validateFlocker(source: Json, path: string): FieldError[] {
  const [name, uuid] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  const errors: FieldError[] = [];
  if (name === '' && uuid === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && uuid !== '') {
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"));
  return errors;
}

function absolutePath(source: Json, path: string): FieldError[] {
  const where = textAt(source, 'path');
  return where.startsWith('/') ? [] : [invalidValue(`${path}.path`, where, 'must be an absolute path')];
}

function validateQuobyte(source: Json, path: string): FieldError[] {
  const registry = textAt(source, 'registry');
  const text = 'must be a host:port pair or multiple pairs separated by commas';
  const volume = needs('volume')(source, path, '');
  if (registry === '') return [required(`${path}.registry`, text), ...volume];
  if (textAt(source, 'tenant').length > MAX_TENANT) {
    return [
      required(`${path}.tenant`, `must be a UUID and may not exceed a length of ${MAX_TENANT} characters`),
      ...volume,
    ];
  }
  const wrong = registry.split(',').some((pair) => !/^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair));
  return [...(wrong ? [invalidValue(`${path}.registry`, registry, text)] : []), ...volume];
}

function namedSecret({ secretRef: secret }: Json, path: string): FieldError[] {
  return isObject(secret) ? needs('name', 'namespace')(secret, `${path}.secretRef`, '') : [];
}

function secretNamespace({ secretNamespace: namespace }: Json, path: string): FieldError[] {
  return namespace === '' ? [required(`${path}.secretNamespace`)] : [];
}

function validateFibreChannel(source: Json, path: string): FieldError[] {
  const [targets, wide] = [stringsAt(source, 'targetWWNs'), stringsAt(source, 'wwids')];
  const field = `${path}.targetWWNs`;
  const errors: FieldError[] = [];
  if (targets.length + wide.length === 0) {
    errors.push(required(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && wide.length > 0) {
    const text = 'targetWWNs and wwids can not be specified simultaneously';
    errors.push(invalidValue(field, shownStrings(targets), text));
  }
  const lun = numberAt(source, 'lun');
  if (targets.length === 0) return errors;
  if (lun === undefined) return [...errors, required(`${path}.lun`, 'lun is required if targetWWNs is specified')];
  return lun >= 0 && lun <= MAX_BYTE ? errors : [...errors, invalidValue(`${path}.lun`, lun, rangeText(0, MAX_BYTE))];
}

function validateFlexOptions(source: Json, path: string): FieldError[] {
  return Object.keys(mapAt(source, 'options')).flatMap((key) => {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`;
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) return [];
    return [invalidValue(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')];
  });
}

function validateAzureDisk(source: Json, path: string): FieldError[] {
  const { cachingMode, kind } = source;
  const uri = textAt(source, 'diskURI');
  const managed = kind === 'Managed';
  const fits = typeof kind !== 'string' || uri.startsWith(managed ? '/subscriptions/' : 'https://');
  const form = managed
    ? '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
    : 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
  return [
    ...isOneOf(`${path}.cachingMode`, cachingMode, ['None', 'ReadOnly', 'ReadWrite']),
    ...isOneOf(`${path}.kind`, kind, ['Dedicated', 'Managed', 'Shared']),
    ...(fits ? [] : [notSupported(`${path}.diskURI`, uri, [form])]),
  ];
}

function validateStorageOs(source: Json, path: string): FieldError[] {
  const namespace = textAt(source, 'volumeNamespace');
  return [
    ...requiredText(source, path, 'volumeName', dnsLabelErrors),
    ...(namespace === '' ? [] : invalidEach(`${path}.volumeNamespace`, namespace, dnsLabelErrors(namespace))),
    ...namedSecret(source, path),
  ];
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function validateCsi(source: Json, path: string): FieldError[] {
  return [
    ...validateDriverName(textAt(source, 'driver'), `${path}.driver`),
    ...needs('volumeHandle')(source, path, ''),
    ...SECRETS.flatMap((name) => validateSecretOf(source[name], `${path}.${name}`)),
  ];
}
