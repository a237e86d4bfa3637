import {
  type ApiObject,
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  type Names,
  required,
} from '@orch/machinery';
import { oneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import { at, type Json, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownStrings } from '../values/go-syntax.js';
import { validateApproval } from './approval.js';
import { validateConversion } from './conversion-validation.js';
import { hasDefault, hasSchema } from './schema-walk.js';
import { schemasOf, validateVersions } from './version-validation.js';

const SCOPES = ['Cluster', 'Namespaced'];

/** What every definition must be like. Messages name fields as clients know them. */
export function validateDefinition(object: ApiObject, _names: Names, old?: ApiObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const names = objectAt(spec, 'names');
  return [
    ...(old ? [] : validateName(object.metadata?.name ?? '', spec)),
    ...validateGroup(textAt(spec, 'group')),
    ...oneOf('spec.scope', at(spec, 'scope'), SCOPES),
    ...validateVersions(spec, old?.spec),
    ...['plural', 'singular', 'kind', 'listKind'].flatMap((name) =>
      textAt(names, name) === '' ? [required(`spec.names.${name}`)] : [],
    ),
    ...validateNames(names, 'spec.names'),
    ...validateConversion(at(spec, 'conversion'), at(old, 'spec', 'conversion')),
    ...validateNames(objectAt(object, 'status', 'acceptedNames'), 'status.acceptedNames'),
    ...validateStoredVersions(object),
    ...(at(old, 'spec', 'preserveUnknownFields') === true ? [] : validatePruning(spec)),
    ...(at(spec, 'preserveUnknownFields') === true ? validatePreserving(spec) : []),
  ];
}

/** What may not change; of scope and kind once the definition is served. */
export function validateDefinitionUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const established = objectsAt(old, 'status', 'conditions').some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  return [
    ...(established
      ? [...immutableField(object, old, 'spec', 'scope'), ...immutableField(object, old, 'spec', 'names', 'kind')]
      : []),
    ...validateApproval(object, old),
    ...immutableField(object, old, 'spec', 'group'),
    ...immutableField(object, old, 'spec', 'names', 'plural'),
  ];
}

/** What names are taken, once the definition is served. */
export const validateDefinitionStatus = (object: ApiObject): FieldError[] =>
  validateNames(objectAt(object, 'status', 'acceptedNames'), 'status.acceptedNames');

function validateName(name: string, spec: unknown): FieldError[] {
  if (name === `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`) return [];
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function validateGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const errors = dnsSubdomainErrors(group);
  if (errors.length > 0) return [invalidValue('spec.group', group, errors.join(','))];
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function validateNames(names: Readonly<Json>, path: string): FieldError[] {
  const kind = textAt(names, 'kind');
  const listKind = textAt(names, 'listKind');
  const lists = ['shortNames', 'categories'].map((list) =>
    stringsAt(names, list).flatMap((name, index) => labelErrors(`${path}.${list}[${index}]`, name, dns1035LabelErrors)),
  );
  return [
    ...['plural', 'singular'].flatMap((name) => wordErrors(`${path}.${name}`, textAt(names, name), dns1035LabelErrors)),
    ...wordErrors(`${path}.kind`, kind, kindErrors),
    ...wordErrors(`${path}.listKind`, listKind, kindErrors),
    ...(lists[0] ?? []),
    ...(kind !== '' && kind === listKind
      ? [invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...(lists[1] ?? []),
  ];
}

const kindErrors = (kind: string): string[] => {
  const errors = dns1035LabelErrors(kind.toLowerCase());
  return errors.length > 0 ? [`may have mixed case, but should otherwise match: ${errors.join(',')}`] : [];
};

/** What is not there is not looked at. */
const wordErrors = (field: string, value: string, check: (value: string) => string[]): FieldError[] =>
  value === '' ? [] : labelErrors(field, value, check);

function labelErrors(field: string, value: string, check: (value: string) => string[]): FieldError[] {
  const errors = check(value);
  return errors.length > 0 ? [invalidValue(field, value, errors.join(','))] : [];
}

/** Versions that objects may lie in cannot be taken out of the definition. */
function validateStoredVersions(object: ApiObject): FieldError[] {
  const field = 'status.storedVersions';
  const stored = stringsAt(object, 'status', 'storedVersions');
  if (stored.length === 0) return [invalidValue(field, shownStrings([]), 'must have at least one stored version')];
  const versions = objectsAt(object, 'spec', 'versions');
  const known = versions.map((version) => textAt(version, 'name'));
  const missing = versions
    .filter((version) => version.storage === true && !stored.includes(textAt(version, 'name')))
    .map((version) => invalidValue(field, version, `must have the storage version ${textAt(version, 'name')}`));
  const unknown = stored.flatMap((version, index) =>
    known.includes(version) ? [] : [invalidValue(`${field}[${index}]`, version, 'must appear in spec.versions')],
  );
  return [...missing, ...unknown];
}

/** What needs fields that nobody declared to be pruned. */
function validatePreserving(spec: unknown): FieldError[] {
  const strategy = at(spec, 'conversion', 'strategy');
  const why = 'must be None if spec.preserveUnknownFields is true';
  return [
    ...(schemasOf(spec).some((schema) => hasSchema(schema, hasDefault))
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')]
      : []),
    ...(strategy === undefined || strategy === 'None' ? [] : [invalidValue('spec.conversion.strategy', strategy, why)]),
  ];
}

const validatePruning = (spec: unknown): FieldError[] =>
  at(spec, 'preserveUnknownFields') === true
    ? [
        invalidValue(
          'spec.preserveUnknownFields',
          true,
          'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ]
    : [];
