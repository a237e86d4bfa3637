import { type FieldError, forbiddenField, invalidValue, notSupported, required } from '@orch/machinery';
import { invalidEach, quantityOf, requiredText } from '../../rules/checks.js';
import { countAt, isObject, type Json, objectsAt, textAt } from '../../values/fields.js';
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

export function validateEmptyDir(source: Json, path: string): FieldError[] {
  const limit = quantityOf(textAt(source, 'sizeLimit') || '0');
  if (!limit || limit.nanos >= 0n) return [];
  return [forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
}

export function validateHostPath(source: Json, path: string): FieldError[] {
  const place = textAt(source, 'path');
  if (place === '') return [required(`${path}.path`)];
  const { type } = source;
  const known = typeof type !== 'string' || HOST_PATH_TYPES.includes(type);
  return [
    ...invalidEach(`${path}.path`, place, noBackstepErrors(place)),
    ...(known ? [] : [notSupported(`${path}.type`, type, HOST_PATH_TYPES)]),
  ];
}

export function validateGitRepo(source: Json, path: string): FieldError[] {
  const directory = textAt(source, 'directory');
  return [
    ...requiredText(source, path, 'repository'),
    ...invalidEach(`${path}.directory`, directory, descendingPathErrors(directory)),
  ];
}

export const validateSecretVolume = (source: Json, path: string): FieldError[] => [
  ...requiredText(source, path, 'secretName'),
  ...validateContents(source, path),
];

export const validateConfigMapVolume = (source: Json, path: string): FieldError[] => [
  ...requiredText(source, path, 'name'),
  ...validateContents(source, path),
];

const validateContents = (source: Json, path: string): FieldError[] => [
  ...validateMode(source, path, 'defaultMode'),
  ...objectsAt(source, 'items').flatMap((item, index) => validateItem(item, `${path}.items[${index}]`)),
];

/** A key that becomes a file. */
function validateItem(item: Json, path: string): FieldError[] {
  return [
    ...requiredText(item, path, 'key'),
    ...requiredText(item, path, 'path'),
    ...validateFilePath(textAt(item, 'path'), `${path}.path`),
    ...validateMode(item, path, 'mode'),
  ];
}

/** Files of the pod's own fields; the reference names no index of theirs. */
export const validateDownward = (source: Json, path: string): FieldError[] => [
  ...validateMode(source, path, 'defaultMode'),
  ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(file, path)),
];

function validateDownwardFile(file: Json, path: string): FieldError[] {
  return [
    ...requiredText(file, path, 'path'),
    ...validateFilePath(textAt(file, 'path'), `${path}.path`),
    ...validateFileSource(file, path),
    ...validateMode(file, path, 'mode'),
  ];
}

function validateFileSource({ fieldRef, resourceFieldRef }: Json, path: string): FieldError[] {
  if (isObject(fieldRef)) {
    const errors = validateFieldRef(fieldRef, `${path}.fieldRef`, FILE_FIELDS);
    if (!isObject(resourceFieldRef)) return errors;
    return [
      ...errors,
      invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
    ];
  }
  if (isObject(resourceFieldRef)) return validateResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, true);
  return [required(path, 'one of fieldRef and resourceFieldRef is required')];
}

/** Several sources in one folder. */
export function validateProjected(source: Json, path: string): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateMode(source, path, 'defaultMode'),
    ...objectsAt(source, 'sources').flatMap((each, index) =>
      validateProjection(each, `${path}.sources[${index}]`, path, taken),
    ),
  ];
}

function validateProjection(source: Json, path: string, volumePath: string, taken: Set<string>): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  const errors = [
    ...(isObject(secret) ? validateProjectedKeys(secret, `${path}.secret`, volumePath, taken) : []),
    ...(isObject(configMap) ? validateProjectedKeys(configMap, `${path}.configMap`, volumePath, taken) : []),
    ...(isObject(downwardAPI) ? validateProjectedFields(downwardAPI, `${path}.downwardAPI`, volumePath, taken) : []),
    ...(isObject(token) ? validateToken(token, `${path}.serviceAccountToken`, volumePath) : []),
  ];
  if ([secret, configMap, downwardAPI, token].filter(isObject).length > 1) {
    errors.push(forbiddenField(path, 'may not specify more than 1 volume type'));
  }
  return errors;
}

function validateProjectedKeys(source: Json, path: string, volumePath: string, taken: Set<string>): FieldError[] {
  return [
    ...requiredText(source, path, 'name'),
    ...objectsAt(source, 'items').flatMap((item, index) => [
      ...validateItem(item, `${path}.items[${index}]`),
      ...takePath(taken, textAt(item, 'path'), volumePath, textAt(source, 'name')),
    ]),
  ];
}

const validateProjectedFields = (source: Json, path: string, volumePath: string, taken: Set<string>): FieldError[] =>
  objectsAt(source, 'items').flatMap((file) => [
    ...validateDownwardFile(file, path),
    ...takePath(taken, textAt(file, 'path'), volumePath, textAt(file, 'path')),
  ]);

function takePath(taken: Set<string>, place: string, field: string, shown: string): FieldError[] {
  if (place === '') return [];
  if (taken.has(place)) return [invalidValue(field, shown, 'conflicting duplicate paths')];
  taken.add(place);
  return [];
}

function validateToken(token: Json, path: string, volumePath: string): FieldError[] {
  const seconds = countAt(token, 'expirationSeconds');
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
