import { type FieldError, invalidValue, notSupported } from '@orch/machinery';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  AzureFileVolumeSource,
  CinderPersistentVolumeSource,
  CinderVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '@orch/schema/types/core/v1';
import { isOneOf, rangeText, requiredText } from '../../rules/checks.js';
import type { NameOf } from '../../values/fields.js';

/** Disks and shares of those who rent them out. */

const MAX_PARTITION = 255;
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** Checks a partition of a disk that is named by the member `name`. */
const validateDisk = <T extends { readonly partition?: number }>(
  source: T,
  path: string,
  name: NameOf<T>,
): FieldError[] => {
  const partition = source.partition ?? 0;
  const wrong = partition < 0 || partition > MAX_PARTITION;
  return [
    ...requiredText(source, path, name),
    ...(wrong ? [invalidValue(`${path}.partition`, partition, rangeText(1, MAX_PARTITION))] : []),
  ];
};

/** Checks a GCE persistent disk: name and partition. */
export const validateGceDisk = (source: GCEPersistentDiskVolumeSource, path: string): FieldError[] =>
  validateDisk(source, path, 'pdName');

/** Checks an AWS elastic block store: volume id and partition. */
export const validateAwsDisk = (source: AWSElasticBlockStoreVolumeSource, path: string): FieldError[] =>
  validateDisk(source, path, 'volumeID');

/** Checks an Azure file share: secret and share name. */
export const validateAzureFile = (
  source: AzureFileVolumeSource | AzureFilePersistentVolumeSource,
  path: string,
): FieldError[] => [...requiredText(source, path, 'secretName'), ...requiredText(source, path, 'shareName')];

/** Checks an Azure disk: name, URI of its kind, and caching mode. */
export function validateAzureDisk(source: AzureDiskVolumeSource, path: string): FieldError[] {
  return [
    ...requiredText(source, path, 'diskName'),
    ...requiredText(source, path, 'diskURI'),
    ...isOneOf(`${path}.cachingMode`, source.cachingMode, CACHING_MODES),
    ...isOneOf(`${path}.kind`, source.kind, DISK_KINDS),
    ...validateDiskUri(source.diskURI ?? '', source.kind, `${path}.diskURI`),
  ];
}

function validateDiskUri(uri: string, kind: string | undefined, field: string): FieldError[] {
  if (typeof kind !== 'string') return [];
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  return uri.startsWith(start) ? [] : [notSupported(field, uri, [form])];
}

/** Checks a Cinder volume: id, and name of its secret. */
export const validateCinder = (
  source: CinderVolumeSource | CinderPersistentVolumeSource,
  path: string,
): FieldError[] => [
  ...requiredText(source, path, 'volumeID'),
  ...(source.secretRef ? requiredText(source.secretRef, `${path}.secretRef`, 'name') : []),
];

/** Checks a vSphere disk: path. */
export const validateVsphere = (source: VsphereVirtualDiskVolumeSource, path: string): FieldError[] =>
  requiredText(source, path, 'volumePath');

/** Checks a Photon disk: id. */
export const validatePhoton = (source: PhotonPersistentDiskVolumeSource, path: string): FieldError[] =>
  requiredText(source, path, 'pdID');

/** Checks a Portworx volume: id. */
export const validatePortworx = (source: PortworxVolumeSource, path: string): FieldError[] =>
  requiredText(source, path, 'volumeID');
