import {
  contentKeyErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  namePrefixErrors,
  variableNameErrors,
} from '@orch/machinery';
import { invalidEach, requiredText } from '../rules/checks.js';
import { isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import { VARIABLE_FIELDS, validateFieldRef, validateResourceFieldRef } from './downward-validation.js';

const VALUE_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'] as const;
const MAP_SOURCES = ['configMapRef', 'secretRef'] as const;

/** Variables of a container, and where they come from. */
export const validateEnvironment = (container: unknown, path: string): FieldError[] => [
  ...objectsAt(container, 'env').flatMap((variable, index) => validateVariable(variable, `${path}.env[${index}]`)),
  ...objectsAt(container, 'envFrom').flatMap((source, index) => validateMap(source, `${path}.envFrom`, index)),
];

function validateVariable(variable: Json, path: string): FieldError[] {
  const errors = requiredText(variable, path, 'name', variableNameErrors);
  return isObject(variable.valueFrom) ? [...errors, ...validateValueFrom(variable, variable.valueFrom, path)] : errors;
}

function validateValueFrom(variable: Json, source: Json, path: string): FieldError[] {
  const field = `${path}.valueFrom`;
  const sources = VALUE_SOURCES.filter((name) => isObject(source[name]));
  const errors = sources.flatMap((name) => validateReference(source[name], `${field}.${name}`, name));
  if (sources.length === 0) {
    const text = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    errors.push(invalidValue(field, '', text));
  } else if (textAt(variable, 'value') !== '') {
    errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
  } else if (sources.length > 1) {
    errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateReference(reference: unknown, path: string, source: (typeof VALUE_SOURCES)[number]): FieldError[] {
  if (source === 'fieldRef') return validateFieldRef(reference, path, VARIABLE_FIELDS);
  if (source === 'resourceFieldRef') return validateResourceFieldRef(reference, path, false);
  const name = textAt(reference, 'name');
  return [
    ...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name)),
    ...requiredText(reference, path, 'key', contentKeyErrors),
  ];
}

function validateMap(map: Json, path: string, index: number): FieldError[] {
  const at = `${path}[${index}]`;
  const prefix = textAt(map, 'prefix');
  const sources = MAP_SOURCES.filter((name) => isObject(map[name]));
  const errors = [
    ...(prefix === '' ? [] : invalidEach(`${at}.prefix`, prefix, variableNameErrors(prefix))),
    // The reference takes them for beginnings of names.
    ...sources.flatMap((name) =>
      requiredText(map[name], `${at}.${name}`, 'name', (value) => namePrefixErrors('subdomain', value)),
    ),
  ];
  if (sources.length === 0) errors.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (sources.length > 1) errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return errors;
}
