import { dnsLabelErrors, type FieldError, forbiddenField, invalidValue, type Names, required } from '@orch/machinery';
import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  ObjectReference,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
} from '@orch/schema/types/core/v1';
import * as cloud from '../pods/volumes/cloud-volumes.js';
import { validateFlex } from '../pods/volumes/driver-volumes.js';
import { validateHostPath } from '../pods/volumes/file-volumes.js';
import * as network from '../pods/volumes/network-volumes.js';
import { noBackstepErrors } from '../pods/volumes/path-validation.js';
import { invalidEach } from '../rules/checks.js';
import type { NameOf } from '../values/fields.js';
import { isEmpty } from '../values/fields.js';
import { validateDriverName, validateSecretOf } from './csi-validation.js';
import { validateIscsi } from './iscsi-validation.js';

/** Checks of the sources of persistent volumes. */

/** Name of a member of a spec that holds a volume source. */
type SourceName = keyof PersistentVolumeSource;
type SourceCheck<T> = (source: T, path: string, volume: string, names: Names) => FieldError[];

const missing = <T extends object>(source: T, path: string, name: NameOf<T>): FieldError[] =>
  isEmpty(source[name]) || source[name] === '' ? [required(`${path}.${name}`)] : [];

const all =
  <T>(...checks: SourceCheck<T>[]): SourceCheck<T> =>
  (source, path, volume, names) =>
    checks.flatMap((check) => check(source, path, volume, names));

/**
 * The checks by the member that holds the source, in the order in which they are looked at; the first is the source.
 */
const SOURCES: { readonly [name in SourceName]-?: SourceCheck<NonNullable<PersistentVolumeSource[name]>> } = {
  hostPath: validateHostPath,
  // The path of its errors is as clients know it.
  gcePersistentDisk: (source, path) => cloud.validateGceDisk(source, path.replace('gcePersistent', 'persistent')),
  awsElasticBlockStore: cloud.validateAwsDisk,
  glusterfs: all(network.validateGlusterfs, validateEndpointsNamespace),
  flocker: network.validateFlocker,
  nfs: network.validateNfs,
  rbd: network.validateRbd,
  quobyte: network.validateQuobyte,
  cephfs: network.validateCephFs,
  iscsi: validateIscsi,
  cinder: all(cloud.validateCinder, secretWithNamespace),
  fc: network.validateFibreChannel,
  flexVolume: (source, path, _volume, names) => validateFlex(source, path, { names }),
  azureFile: all(cloud.validateAzureFile, secretNamespace),
  vsphereVolume: cloud.validateVsphere,
  photonPersistentDisk: cloud.validatePhoton,
  portworxVolume: cloud.validatePortworx,
  azureDisk: cloud.validateAzureDisk,
  scaleIO: network.validateScaleIo,
  local: validateLocal,
  storageos: all(network.validateStorageOs, secretWithNamespace),
  csi: validateCsi,
};
const NAMES = Object.keys(SOURCES) as SourceName[];

/** Returns the members of a spec that hold a volume source. */
export const sourcesOf = (spec: PersistentVolumeSource | undefined): SourceName[] =>
  NAMES.filter((name) => spec?.[name]);

/** Checks that there is one source. `volume` is the name of the volume, `path` that of its spec. */
export function validateSource(
  spec: PersistentVolumeSpec | undefined,
  path: string,
  volume: string,
  names: Names,
): FieldError[] {
  const sources = sourcesOf(spec);
  if (!spec || sources.length === 0) return [required(path, 'must specify a volume type')];
  return sources.flatMap((name, index) => {
    // That one is not refused behind another.
    if (index > 0 && name !== 'flexVolume')
      return [
        forbiddenField(`${path}.${name === 'cephfs' ? 'cephFS' : name}`, 'may not specify more than 1 volume type'),
      ];
    return checkSource(spec, name)(`${path}.${name}`, volume, names);
  });
}

const checkSource =
  <K extends SourceName>(spec: PersistentVolumeSource, name: K) =>
  (path: string, volume: string, names: Names): FieldError[] =>
    SOURCES[name](spec[name] as NonNullable<PersistentVolumeSource[K]>, path, volume, names);

function validateLocal(source: LocalVolumeSource, path: string): FieldError[] {
  const where = source.path ?? '';
  return where === '' ? [required(`${path}.path`)] : invalidEach(`${path}.path`, where, noBackstepErrors(where));
}

function validateEndpointsNamespace(
  { endpointsNamespace: namespace }: GlusterfsPersistentVolumeSource,
  path: string,
): FieldError[] {
  if (typeof namespace !== 'string') return [];
  const field = `${path}.endpointsNamespace`;
  const text = 'if the endpointnamespace is set, it must be a valid namespace name';
  return namespace === ''
    ? [invalidValue(field, namespace, text)]
    : invalidEach(field, namespace, dnsLabelErrors(namespace));
}

/** Requires the namespace of a secret: a persistent volume has none. */
function secretWithNamespace(
  { secretRef: secret }: { secretRef?: SecretReference | ObjectReference },
  path: string,
): FieldError[] {
  return secret ? missing(secret, `${path}.secretRef`, 'namespace') : [];
}

function secretNamespace({ secretNamespace: namespace }: AzureFilePersistentVolumeSource, path: string): FieldError[] {
  return namespace === '' ? [required(`${path}.secretNamespace`)] : [];
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(source: CSIPersistentVolumeSource, path: string): FieldError[] {
  return [
    ...validateDriverName(source.driver ?? '', `${path}.driver`),
    ...missing(source, path, 'volumeHandle'),
    ...SECRETS.flatMap((name) => validateSecretOf(source[name], `${path}.${name}`)),
  ];
}
