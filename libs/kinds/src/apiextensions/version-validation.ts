import { dns1035LabelErrors, type FieldError, invalidValue, required } from '@orch/machinery';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '@orch/schema/types/apiextensions/v1';
import { equal } from '../values/equal.js';
import { isObject, type Json } from '../values/fields.js';
import { schemaStrictness, validateSchema } from './schema-validation.js';
import { validateSelectable } from './selectable-validation.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_WARNING = 256;

/** The versions of a definition: each by itself, and all together. `old` is the stored spec, in an update. */
export function validateVersions(
  spec: CustomResourceDefinitionSpec | undefined,
  old?: CustomResourceDefinitionSpec,
): FieldError[] {
  const versions = spec?.versions ?? [];
  const names = versions.map((version) => version.name ?? '');
  const refusal = (why: string) => invalidValue('spec.versions', versions.length > 0 ? versions : [], why);
  const stored = versions.filter((version) => version.storage === true).length;
  const first = names[0] ?? '';
  const wrong = first === '' ? [] : dns1035LabelErrors(first);
  return [
    // The first version is one of the definition, under its older name.
    ...(wrong.length > 0 ? [invalidValue('spec.version', first, wrong.join(','))] : []),
    ...requireSchemas(versions, spec, old?.versions ?? []),
    ...versions.flatMap((version, index) => validateVersion(version, `spec.versions[${index}]`)),
    ...eachOrAll(versions, 'subresources', (version, path) => validateScale(version, `${path}.subresources.scale`)),
    ...eachOrAll(versions, 'additionalPrinterColumns', validateColumns),
    ...validateSelectables(versions),
    ...(new Set(names).size < names.length ? [refusal('must contain unique version names')] : []),
    ...(stored === 1 ? [] : [refusal('must have exactly one version marked as storage version')]),
  ];
}

/** Checks a member of each version. If all versions have the same value, its errors are those of the definition. */
function eachOrAll(
  versions: readonly CustomResourceDefinitionVersion[],
  member: keyof CustomResourceDefinitionVersion,
  check: (version: CustomResourceDefinitionVersion, path: string) => FieldError[],
) {
  const [first] = versions;
  if (first && versions.every((version) => equal(version[member], first[member]))) return check(first, 'spec');
  return versions.flatMap((version, index) => check(version, `spec.versions[${index}]`));
}

/**
 * Checks selectable fields by the schema of their version; errors that all versions have are reported for the
 * definition if their schemas are equal.
 */
function validateSelectables(versions: readonly CustomResourceDefinitionVersion[]): FieldError[] {
  const [first] = versions;
  const check = (version: CustomResourceDefinitionVersion, path: string) =>
    validateSelectable(version, schemaOf(version), `${path}.selectableFields`);
  const isOne = first && versions.every((version) => equal(schemaOf(version), schemaOf(first)));
  if (isOne) return eachOrAll(versions, 'selectableFields', check);
  return versions.flatMap((version, index) => check(version, `spec.versions[${index}]`));
}

/** Returns the schema of a version, as an untyped object: the generated type is recursive. */
const schemaOf = (version: CustomResourceDefinitionVersion): Json | undefined =>
  version.schema?.openAPIV3Schema as Json | undefined;

/** Returns the schemas of the versions that have one. */
export const schemasOf = (spec: CustomResourceDefinitionSpec | undefined): Json[] =>
  (spec?.versions ?? []).map(schemaOf).filter((schema) => schema !== undefined);

const isPreserving = (spec: CustomResourceDefinitionSpec | undefined): boolean => spec?.preserveUnknownFields === true;

/** Every version has a schema; where one was stored without, those that are served have one. */
function requireSchemas(
  versions: readonly CustomResourceDefinitionVersion[],
  spec: CustomResourceDefinitionSpec | undefined,
  olds: readonly CustomResourceDefinitionVersion[],
): FieldError[] {
  const lax = olds.some((version) => schemaOf(version) === undefined);
  const text = lax ? 'because otherwise all fields are pruned' : 'schemas are required';
  return versions.flatMap((version, index) => {
    const needed = lax ? version.served === true && !isPreserving(spec) : true;
    if (!needed || schemaOf(version)) return [];
    return [required(`spec.versions[${index}].schema.openAPIV3Schema`, text)];
  });
}

/**
 * The schemas of the versions, in steps. A schema that all versions have is one of the definition, under its older
 * name.
 * @param later whether new expressions may name what came after release 1.27
 */
export function* validateSchemas(
  spec: CustomResourceDefinitionSpec | undefined,
  old: CustomResourceDefinitionSpec | undefined,
  later: boolean,
): Iterable<FieldError[]> {
  const versions = spec?.versions ?? [];
  const [schemas, before] = [schemasOf(spec), schemasOf(old)];
  const strict = schemaStrictness(schemas, before, isPreserving(spec), later);
  const hasStatus = (version: CustomResourceDefinitionVersion) => isObject(version.subresources?.status);
  const [first] = schemas;
  yield [];
  if (first && versions.every((version) => equal(schemaOf(version), first))) {
    yield* validateSchema(first, 'spec.validation.openAPIV3Schema', versions.some(hasStatus), strict);
    return;
  }
  for (const [index, version] of versions.entries()) {
    const schema = schemaOf(version);
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (schema) yield* validateSchema(schema, path, hasStatus(version), strict);
  }
}

function validateVersion(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const name = version.name ?? '';
  const errors = dns1035LabelErrors(name);
  const warning = version.deprecationWarning;
  const complaints = typeof warning === 'string' ? warningErrors(warning, version.deprecated === true) : [];
  return [
    ...(errors.length > 0 ? [invalidValue(`${path}.name`, name, errors.join(','))] : []),
    ...complaints.map((error) => invalidValue(`${path}.deprecationWarning`, warning, error)),
  ];
}

function warningErrors(warning: string, deprecated: boolean): string[] {
  if (!deprecated) return ['can only be set for deprecated versions'];
  const strange = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  const index = Buffer.byteLength(warning.slice(0, strange));
  return [
    ...(Buffer.byteLength(warning) > MAX_WARNING ? [`must be <= ${MAX_WARNING} characters long`] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(strange >= 0
      ? [`must only contain printable UTF-8 characters; non-printable character found at index ${index}`]
      : []),
  ];
}

function validateScale(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const scale = version.subresources?.scale;
  if (!scale) return [];
  const selector = scale.labelSelectorPath ?? '';
  return [
    ...requiredPath(`${path}.specReplicasPath`, scale.specReplicasPath ?? '', ['.spec.'], 'under .spec'),
    ...requiredPath(`${path}.statusReplicasPath`, scale.statusReplicasPath ?? '', ['.status.'], 'under .status'),
    ...(selector === ''
      ? []
      : pathErrors(`${path}.labelSelectorPath`, selector, ['.spec.', '.status.'], 'under either .spec or .status')),
  ];
}

const requiredPath = (field: string, path: string, below: readonly string[], where: string): FieldError[] =>
  path === '' ? [required(field)] : pathErrors(field, path, below, where);

function pathErrors(field: string, path: string, below: readonly string[], where: string): FieldError[] {
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')];
  return below.some((start) => path.startsWith(start))
    ? []
    : [invalidValue(field, path, `should be a json path ${where}`)];
}

const validateColumns = (version: CustomResourceDefinitionVersion, path: string): FieldError[] =>
  (version.additionalPrinterColumns ?? []).flatMap((column, index) =>
    validateColumn(column, `${path}.additionalPrinterColumns[${index}]`),
  );

function validateColumn(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const [type, format, jsonPath] = (['type', 'format', 'jsonPath'] as const).map((name) => column[name] ?? '');
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  return [
    ...((column.name ?? '') === '' ? [required(`${path}.name`)] : []),
    ...(type === '' ? [required(`${path}.type`, types)] : []),
    ...(type && !COLUMN_TYPES.includes(type) ? [invalidValue(`${path}.type`, type, types)] : []),
    ...(format && !COLUMN_FORMATS.includes(format)
      ? [invalidValue(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`)]
      : []),
    ...(jsonPath === '' ? [required(`${path}.JSONPath`)] : []),
    ...(jsonPath && !jsonPath.startsWith('.')
      ? [invalidValue(`${path}.JSONPath`, jsonPath, 'must be a simple json path starting with .')]
      : []),
  ];
}
