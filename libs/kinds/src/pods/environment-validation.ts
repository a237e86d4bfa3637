import {
  contentKeyErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  namePrefixErrors,
  variableNameErrors,
} from '@orch/machinery';
import type { EnvFromSource, EnvVar, EnvVarSource } from '@orch/schema/types/core/v1';
import { invalidEach, requiredText } from '../rules/checks.js';
import type { AnyContainer } from './containers.js';
import { VARIABLE_FIELDS, validateFieldRef, validateResourceFieldRef } from './downward-validation.js';

const VALUE_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'] as const;
const MAP_SOURCES = ['configMapRef', 'secretRef'] as const;

/** Variables of a container, and where they come from. */
export const validateEnvironment = (container: AnyContainer, path: string): FieldError[] => [
  ...(container.env ?? []).flatMap((variable, index) => validateVariable(variable, `${path}.env[${index}]`)),
  ...(container.envFrom ?? []).flatMap((source, index) => validateMap(source, `${path}.envFrom`, index)),
];

function validateVariable(variable: EnvVar, path: string): FieldError[] {
  const errors = requiredText(variable, path, 'name', variableNameErrors);
  return variable.valueFrom ? [...errors, ...validateValueFrom(variable, variable.valueFrom, path)] : errors;
}

function validateValueFrom(variable: EnvVar, source: EnvVarSource, path: string): FieldError[] {
  const field = `${path}.valueFrom`;
  const sources = VALUE_SOURCES.filter((name) => source[name]);
  const errors = sources.flatMap((name) => validateSource(source, name, `${field}.${name}`));
  if (sources.length === 0) {
    const text = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    errors.push(invalidValue(field, '', text));
  } else if ((variable.value ?? '') !== '') {
    errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'));
  } else if (sources.length > 1) {
    errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateSource(source: EnvVarSource, kind: (typeof VALUE_SOURCES)[number], path: string): FieldError[] {
  if (kind === 'fieldRef') return validateFieldRef(source.fieldRef, path, VARIABLE_FIELDS);
  if (kind === 'resourceFieldRef') return validateResourceFieldRef(source.resourceFieldRef, path, false);
  const reference = source[kind];
  const name = reference?.name ?? '';
  return [
    ...invalidEach(`${path}.name`, name, dnsSubdomainErrors(name)),
    ...requiredText(reference, path, 'key', contentKeyErrors),
  ];
}

function validateMap(map: EnvFromSource, path: string, index: number): FieldError[] {
  const at = `${path}[${index}]`;
  const prefix = map.prefix ?? '';
  const sources = MAP_SOURCES.filter((name) => map[name]);
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
