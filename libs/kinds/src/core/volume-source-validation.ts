import { dnsLabelErrors, type FieldError, forbiddenField, invalidValue, type Names, required } from '@orch/machinery';
import * as cloud from '../pods/volumes/cloud-volumes.js';
import { validateFlex } from '../pods/volumes/driver-volumes.js';
import { validateHostPath } from '../pods/volumes/file-volumes.js';
import * as network from '../pods/volumes/network-volumes.js';
import { noBackstepErrors } from '../pods/volumes/path-validation.js';
import { invalidEach } from '../rules/checks.js';
import { isEmpty, isObject, type Json, textAt } from '../values/fields.js';
import { validateDriverName, validateSecretOf } from './csi-validation.js';
import { validateIscsi } from './iscsi-validation.js';

/** Where persistent volumes can lie. */

type SourceCheck = (source: Json, path: string, volume: string, names: Names) => FieldError[];

const missing = (source: Json, path: string, name: string): FieldError[] =>
  isEmpty(source[name]) || source[name] === '' ? [required(`${path}.${name}`)] : [];

const all =
  (...checks: SourceCheck[]): SourceCheck =>
  (source, path, volume, names) =>
    checks.flatMap((check) => check(source, path, volume, names));

/** By the member that holds the source, in the order in which they are looked at; the first is the source. */
const SOURCES: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['hostPath', validateHostPath],
  // The path of its errors is as clients know it.
  ['gcePersistentDisk', (source, path) => cloud.validateGceDisk(source, path.replace('gcePersistent', 'persistent'))],
  ['awsElasticBlockStore', cloud.validateAwsDisk],
  ['glusterfs', all(network.validateGlusterfs, validateEndpointsNamespace)],
  ['flocker', network.validateFlocker],
  ['nfs', network.validateNfs],
  ['rbd', network.validateRbd],
  ['quobyte', network.validateQuobyte],
  ['cephfs', network.validateCephFs],
  ['iscsi', validateIscsi],
  ['cinder', all(cloud.validateCinder, secretWithNamespace)],
  ['fc', network.validateFibreChannel],
  ['flexVolume', (source, path, _volume, names) => validateFlex(source, path, { names })],
  ['azureFile', all(cloud.validateAzureFile, secretNamespace)],
  ['vsphereVolume', cloud.validateVsphere],
  ['photonPersistentDisk', cloud.validatePhoton],
  ['portworxVolume', cloud.validatePortworx],
  ['azureDisk', cloud.validateAzureDisk],
  ['scaleIO', network.validateScaleIo],
  ['local', validateLocal],
  ['storageos', all(network.validateStorageOs, secretWithNamespace)],
  ['csi', validateCsi],
]);

/** The members of a spec that say where the volume lies. */
export const sourcesOf = (spec: unknown): string[] =>
  isObject(spec) ? [...SOURCES.keys()].filter((name) => isObject(spec[name])) : [];

/** One source. `volume` is the name of the volume, `path` that of its spec. */
export function validateSource(spec: Json, path: string, volume: string, names: Names): FieldError[] {
  const sources = sourcesOf(spec);
  if (sources.length === 0) return [required(path, 'must specify a volume type')];
  return sources.flatMap((name, index) => {
    // That one is not refused behind another.
    if (index > 0 && name !== 'flexVolume')
      return [
        forbiddenField(`${path}.${name === 'cephfs' ? 'cephFS' : name}`, 'may not specify more than 1 volume type'),
      ];
    return SOURCES.get(name)?.(spec[name] as Json, `${path}.${name}`, volume, names) ?? [];
  });
}

function validateLocal(source: Json, path: string): FieldError[] {
  const where = textAt(source, 'path');
  return where === '' ? [required(`${path}.path`)] : invalidEach(`${path}.path`, where, noBackstepErrors(where));
}

function validateEndpointsNamespace({ endpointsNamespace: namespace }: Json, path: string): FieldError[] {
  if (typeof namespace !== 'string') return [];
  const field = `${path}.endpointsNamespace`;
  const text = 'if the endpointnamespace is set, it must be a valid namespace name';
  return namespace === ''
    ? [invalidValue(field, namespace, text)]
    : invalidEach(field, namespace, dnsLabelErrors(namespace));
}

/** What lies in no namespace has to say where its secret does. */
function secretWithNamespace({ secretRef: secret }: Json, path: string): FieldError[] {
  return isObject(secret) ? missing(secret, `${path}.secretRef`, 'namespace') : [];
}

function secretNamespace({ secretNamespace: namespace }: Json, path: string): FieldError[] {
  return namespace === '' ? [required(`${path}.secretNamespace`)] : [];
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
    ...missing(source, path, 'volumeHandle'),
    ...SECRETS.flatMap((name) => validateSecretOf(source[name], `${path}.${name}`)),
  ];
}
