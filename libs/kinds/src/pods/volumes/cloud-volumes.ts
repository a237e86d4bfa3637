import { type FieldError, invalidValue, notSupported } from '@orch/machinery';
import { isOneOf, rangeText, requiredText } from '../../rules/checks.js';
import { countAt, isObject, type Json, textAt } from '../../values/fields.js';

/** Disks and shares of those who rent them out. */

const MAX_PARTITION = 255;
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** Of a disk, named by `name`, one partition. */
const validateDisk = (source: Json, path: string, name: string): FieldError[] => {
  const partition = countAt(source, 'partition');
  const wrong = partition < 0 || partition > MAX_PARTITION;
  return [
    ...requiredText(source, path, name),
    ...(wrong ? [invalidValue(`${path}.partition`, partition, rangeText(1, MAX_PARTITION))] : []),
  ];
};

export const validateGceDisk = (source: Json, path: string): FieldError[] => validateDisk(source, path, 'pdName');

export const validateAwsDisk = (source: Json, path: string): FieldError[] => validateDisk(source, path, 'volumeID');

export const validateAzureFile = (source: Json, path: string): FieldError[] => [
  ...requiredText(source, path, 'secretName'),
  ...requiredText(source, path, 'shareName'),
];

export function validateAzureDisk(source: Json, path: string): FieldError[] {
  return [
    ...requiredText(source, path, 'diskName'),
    ...requiredText(source, path, 'diskURI'),
    ...isOneOf(`${path}.cachingMode`, source.cachingMode, CACHING_MODES),
    ...isOneOf(`${path}.kind`, source.kind, DISK_KINDS),
    ...validateDiskUri(textAt(source, 'diskURI'), source.kind, `${path}.diskURI`),
  ];
}

function validateDiskUri(uri: string, kind: unknown, field: string): FieldError[] {
  if (typeof kind !== 'string') return [];
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  return uri.startsWith(start) ? [] : [notSupported(field, uri, [form])];
}

export const validateCinder = (source: Json, path: string): FieldError[] => [
  ...requiredText(source, path, 'volumeID'),
  ...(isObject(source.secretRef) ? requiredText(source.secretRef, `${path}.secretRef`, 'name') : []),
];

export const validateVsphere = (source: Json, path: string): FieldError[] => requiredText(source, path, 'volumePath');

export const validatePhoton = (source: Json, path: string): FieldError[] => requiredText(source, path, 'pdID');

export const validatePortworx = (source: Json, path: string): FieldError[] => requiredText(source, path, 'volumeID');
