import { type FieldError, invalidValue, required, variableNameErrors } from '@orch/machinery';
import { invalidEach, requiredText } from '../rules/checks.js';
import { isObject, objectsAt, textAt } from '../values/fields.js';

const VALUE_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'] as const;
const MAP_SOURCES = ['configMapRef', 'secretRef'] as const;

/** Variables of a container, and where they come from. */
export const validateEnvironment = (container: unknown, path: string): FieldError[] => [
  ...objectsAt(container, 'env').flatMap((variable, index) => validateVariable(variable, `${path}.env[${index}]`)),
  ...objectsAt(container, 'envFrom').flatMap((source, index) => validateMap(source, `${path}.envFrom`, index)),
];

function validateVariable(variable: unknown, path: string): FieldError[] {
  return [
    ...requiredText(variable, path, 'name', variableNameErrors),
    ...(isObject(variable) && isObject(variable.valueFrom)
      ? validateValueFrom(variable, variable.valueFrom, path)
      : []),
  ];
}

function validateValueFrom(variable: unknown, source: Record<string, unknown>, path: string): FieldError[] {
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
  const missing = (...names: string[]) =>
    names.filter((name) => textAt(reference, name) === '').map((name) => required(`${path}.${name}`));
  if (source === 'fieldRef') return missing('fieldPath');
  return source === 'resourceFieldRef' ? missing('resource') : missing('name', 'key');
}

function validateMap(map: Record<string, unknown>, path: string, index: number): FieldError[] {
  const at = `${path}[${index}]`;
  const prefix = textAt(map, 'prefix');
  const sources = MAP_SOURCES.filter((name) => isObject(map[name]));
  const errors = [
    ...(prefix === '' ? [] : invalidEach(`${at}.prefix`, prefix, variableNameErrors(prefix))),
    ...sources.flatMap((name) => requiredText(map[name], `${at}.${name}`, 'name')),
  ];
  if (sources.length === 0) errors.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (sources.length > 1) errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return errors;
}
