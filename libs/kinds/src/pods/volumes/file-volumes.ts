import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import type {
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretProjection,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '@orch/schema/types/core/v1';
import { invalidEach, quantityOf, requiredText } from '../../rules/checks.js';
import { countOf, isObject } from '../../values/fields.js';
import { FILE_FIELDS, validateFieldRef, validateResourceFieldRef } from '../downward-validation.js';
import { descendingPathErrors, noBackstepErrors, validateFilePath, validateMode } from './path-validation.js';

/** Volumes that are made of files: of the node, or written there from what the API knows. */

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
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Checks that the size limit of an empty directory is not negative. */
export function validateEmptyDir(source: EmptyDirVolumeSource, path: string): FieldError[] {
  const limit = quantityOf(source.sizeLimit || '0');
  if (!limit || limit.nanos >= 0n) return [];
  return [forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
}

/** Checks a path of the node: no `..` in it, and a known type. */
export function validateHostPath(source: HostPathVolumeSource, path: string): FieldError[] {
  const place = source.path ?? '';
  if (place === '') return [required(`${path}.path`)];
  const { type } = source;
  const known = typeof type !== 'string' || HOST_PATH_TYPES.includes(type);
  return [
    ...invalidEach(`${path}.path`, place, noBackstepErrors(place)),
    ...(known ? [] : [notSupported(`${path}.type`, type, HOST_PATH_TYPES)]),
  ];
}

/** Checks a git repository: URL, and a directory within the volume. */
export function validateGitRepo(source: GitRepoVolumeSource, path: string): FieldError[] {
  const directory = source.directory ?? '';
  return [
    ...requiredText(source, path, 'repository'),
    ...invalidEach(`${path}.directory`, directory, descendingPathErrors(directory)),
  ];
}

export const validateSecretVolume = (source: SecretVolumeSource, path: string): FieldError[] => [
  ...requiredText(source, path, 'secretName'),
  ...validateContents(source, path),
];

export const validateConfigMapVolume = (source: ConfigMapVolumeSource, path: string): FieldError[] => [
  ...requiredText(source, path, 'name'),
  ...validateContents(source, path),
];

const validateContents = (source: SecretVolumeSource | ConfigMapVolumeSource, path: string): FieldError[] => [
  ...validateMode(source, path, 'defaultMode'),
  ...(source.items ?? []).flatMap((item, index) => validateItem(item, `${path}.items[${index}]`)),
];

/** A key that becomes a file. */
function validateItem(item: KeyToPath, path: string): FieldError[] {
  return [
    ...requiredText(item, path, 'key'),
    ...requiredText(item, path, 'path'),
    ...validateFilePath(item.path ?? '', `${path}.path`),
    ...validateMode(item, path, 'mode'),
  ];
}

/** Files of the pod's own fields; the reference names no index of theirs. */
export const validateDownward = (source: DownwardAPIVolumeSource, path: string): FieldError[] => [
  ...validateMode(source, path, 'defaultMode'),
  ...(source.items ?? []).flatMap((file) => validateDownwardFile(file, path)),
];

function validateDownwardFile(file: DownwardAPIVolumeFile, path: string): FieldError[] {
  return [
    ...requiredText(file, path, 'path'),
    ...validateFilePath(file.path ?? '', `${path}.path`),
    ...validateFileSource(file, path),
    ...validateMode(file, path, 'mode'),
  ];
}

function validateFileSource({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, path: string): FieldError[] {
  if (fieldRef) {
    const errors = validateFieldRef(fieldRef, `${path}.fieldRef`, FILE_FIELDS);
    if (!resourceFieldRef) return errors;
    return [
      ...errors,
      invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
    ];
  }
  if (resourceFieldRef) return validateResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, true);
  return [required(path, 'one of fieldRef and resourceFieldRef is required')];
}

/** Several sources in one folder. */
export function validateProjected(source: ProjectedVolumeSource, path: string): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateMode(source, path, 'defaultMode'),
    ...(source.sources ?? []).flatMap((each, index) =>
      validateProjection(each, `${path}.sources[${index}]`, path, taken),
    ),
  ];
}

function validateProjection(
  source: VolumeProjection,
  path: string,
  volumePath: string,
  taken: Set<string>,
): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  const errors = [
    ...(secret ? validateProjectedKeys(secret, `${path}.secret`, volumePath, taken) : []),
    ...(configMap ? validateProjectedKeys(configMap, `${path}.configMap`, volumePath, taken) : []),
    ...(downwardAPI ? validateProjectedFields(downwardAPI, `${path}.downwardAPI`, volumePath, taken) : []),
    ...(token ? validateToken(token, `${path}.serviceAccountToken`, volumePath) : []),
  ];
  if ([secret, configMap, downwardAPI, token].filter(isObject).length > 1) {
    errors.push(forbiddenField(path, 'may not specify more than 1 volume type'));
  }
  return errors;
}

function validateProjectedKeys(
  source: SecretProjection | ConfigMapProjection,
  path: string,
  volumePath: string,
  taken: Set<string>,
): FieldError[] {
  return [
    ...requiredText(source, path, 'name'),
    ...(source.items ?? []).flatMap((item, index) => [
      ...validateItem(item, `${path}.items[${index}]`),
      ...takePath(taken, item.path ?? '', volumePath, source.name ?? ''),
    ]),
  ];
}

const validateProjectedFields = (
  source: DownwardAPIProjection,
  path: string,
  volumePath: string,
  taken: Set<string>,
): FieldError[] =>
  (source.items ?? []).flatMap((file) => [
    ...validateDownwardFile(file, path),
    ...takePath(taken, file.path ?? '', volumePath, file.path ?? ''),
  ]);

function takePath(taken: Set<string>, place: string, field: string, shown: string): FieldError[] {
  if (place === '') return [];
  if (taken.has(place)) return [invalidValue(field, shown, 'conflicting duplicate paths')];
  taken.add(place);
  return [];
}

function validateToken(token: ServiceAccountTokenProjection, path: string, volumePath: string): FieldError[] {
  const seconds = countOf(token.expirationSeconds);
  const field = `${path}.expirationSeconds`;
  const errors: FieldError[] = [];
  if (seconds < MIN_TOKEN_SECONDS) {
    errors.push(invalidValue(field, token.expirationSeconds ?? 0, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > MAX_TOKEN_SECONDS) {
    errors.push(invalidValue(field, token.expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return [...errors, ...requiredText(token, volumePath, 'path')];
}
