import { copy, type FieldError, invalidValue, shownUntyped } from '@orch/machinery';
import { atOnce, compileSchema, type Effort, embeddedErrors, prune, UnknownFields, validateValue } from '@orch/schema';
import type { Json } from '../values/fields.js';
import { asEmbedded, isEmbedded, itemSchema, propertiesOf } from './schema-walk.js';

const META = ['apiVersion', 'kind', 'metadata'];

/** Fields in the defaults of a structural schema that would be pruned, default by default. */
export const unknownInDefaults = (schema: Json, path: string): Iterable<FieldError[]> =>
  // What stands in the metadata of an object is not pruned by the schema.
  eachDefault(asEmbedded(schema), path, (each, value, field, around) =>
    around || isPruned(value, each) ? [] : [invalidValue(field, shownUntyped(value), 'must not have unknown fields')],
  );

/**
 * Defaults of a structural schema obey it, but for rules in CEL; those of whole objects say their type and have sound
 * metadata, and so have objects with the defaults that stand in metadata. Default by default.
 */
export function wrongDefaults(schema: Json, path: string, effort: Effort): Iterable<FieldError[]> {
  return eachDefault(asEmbedded(schema), path, (each, value, field, around) => {
    const errors = around
      ? wrongMetadata(around(value), value, field)
      : embeddedErrors(compileSchema(each), value, field);
    if (errors.length > 0) return errors;
    return atOnce(validateValue(compileSchema(each), value, { base: field, effort, isDefault: true }));
  });
}

/** An object with a default in its metadata or for its type. */
interface Whole {
  readonly schema: Json;
  readonly value: Json;
}

function wrongMetadata({ schema, value: object }: Whole, value: unknown, field: string): FieldError[] {
  const errors = embeddedErrors(
    compileSchema(schema),
    { apiVersion: 'validation/v1', kind: 'Validation', ...object },
    '',
  );
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  if (texts.length === 0) return [];
  return [
    invalidValue(
      field,
      shownUntyped(value),
      `must result in valid metadata: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    ),
  ];
}

/** Makes an object around a value; undefined outside of types and metadata. */
type Around = ((value: unknown) => Whole) | undefined;
type Judge = (schema: Json, value: unknown, field: string, around: Around) => FieldError[];

/** @param outer what stands around values of the schema, inside of metadata */
function* eachDefault(schema: Json, path: string, judge: Judge, outer?: Around): Iterable<FieldError[]> {
  const value = schema.default;
  const whole = isEmbedded(schema);
  const around = whole ? undefined : outer;
  const items = itemSchema(schema);
  if (value !== undefined && value !== null) yield judge(schema, value, `${path}.default`, around);
  if (items) yield* eachDefault(items, `${path}.items`, judge, around && ((item) => around([item])));
  for (const [name, property] of propertiesOf(schema)) {
    const outside = aroundMember(whole ? schema : undefined, name, around);
    yield* eachDefault(property, `${path}.properties[${name}]`, judge, outside);
  }
}

/** @param schema of a whole object, if the member is one of such */
function aroundMember(schema: Json | undefined, name: string, outer: Around): Around {
  if (schema) return META.includes(name) ? (value) => ({ schema, value: { [name]: value } }) : undefined;
  return outer && ((value) => outer({ [name]: value }));
}

/** Whether pruning by the schema would leave a value as it is. */
function isPruned(value: unknown, schema: Json): boolean {
  const unknown = new UnknownFields();
  prune(copy(value), compileSchema(schema), unknown, false);
  return unknown.paths.length === 0;
}
