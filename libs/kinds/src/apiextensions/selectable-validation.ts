import { FieldPathError, type FieldPlace, fieldAt, type SchemaProps } from '@orch/expressions';
import { duplicate, type FieldError, invalidValue, required, tooMany } from '@orch/machinery';
import type { CustomResourceDefinitionVersion } from '@orch/schema/types/apiextensions/v1';
import type { Json } from '../values/fields.js';

const MOST = 8;
const TYPES = ['string', 'boolean', 'integer'];
const MISTYPED =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/**
 * The fields of a version that field selectors can name (apiextensions, validation.go of release 1.32).
 * @param path of the list
 */
export function validateSelectable(
  version: CustomResourceDefinitionVersion,
  schema: Json | undefined,
  path: string,
): FieldError[] {
  const fields = version.selectableFields ?? [];
  if (fields.length === 0) return [];
  if (!schema) return [invalidValue(path, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  const known = new Set<string>();
  const errors = fields.flatMap((each, index) => {
    const jsonPath = each.jsonPath ?? '';
    return jsonPath === ''
      ? [required(`${path}[${index}].jsonPath`)]
      : pathErrors(jsonPath, schema as SchemaProps, `${path}[${index}].jsonPath`, known);
  });
  return known.size > MOST ? [...errors, tooMany(path, known.size, MOST)] : errors;
}

/** @param known fields of the list so far, to which this one is added */
function pathErrors(jsonPath: string, schema: SchemaProps, field: string, known: Set<string>): FieldError[] {
  const place = placeAt(jsonPath, schema);
  if (typeof place === 'string') return [invalidValue(field, jsonPath, `is an invalid path: ${place}`)];
  const isKnown = known.has(place.text);
  known.add(place.text);
  return [
    ...(place.names[0] === 'metadata' ? [invalidValue(field, jsonPath, 'must not point to fields in metadata')] : []),
    ...(TYPES.includes(place.schema?.type ?? '') ? [] : [invalidValue(field, jsonPath, MISTYPED)]),
    ...(isKnown ? [duplicate(field, jsonPath)] : []),
  ];
}

/** Why there is none, as a text. */
function placeAt(jsonPath: string, schema: SchemaProps): FieldPlace | string {
  try {
    return fieldAt(jsonPath, schema, false);
  } catch (error) {
    if (error instanceof FieldPathError) return error.message;
    throw error;
  }
}
