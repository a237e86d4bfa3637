import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  verbatim,
} from '@orch/machinery';
import { equal } from '../values/equal.js';
import { isObject, type Json, numberAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { shownUntyped } from '../values/go-syntax.js';
import { isOfFormat } from './formats.js';
import { type Patterns, TooManyComparisons, TooManySteps } from './patterns.js';
import { itemSchema, propertiesOf, propertyOf } from './schema-walk.js';

/** A value, what it is called in messages ('' for the whole), and the path of the whole. */
interface Place {
  readonly base: string;
  readonly name: string;
  readonly patterns: Patterns;
}

/** Characters that are looked at, or written into a message, in the time of one comparison. */
const CHARACTERS = 16;
/** Characters of a path that add nothing yet to what a message about it takes. */
const PATH_CHARACTERS = 256;
/** A message is written in the time of so many comparisons. */
const WRITTEN = 32;

/**
 * What a schema says against a value.
 * @param base path of the value
 * @param patterns all that values which are judged together may take
 */
export function valueErrors(schema: Json, value: unknown, base: string, patterns: Patterns): FieldError[] {
  try {
    return errorsOf(schema, value, { base, name: '', patterns });
  } catch (error) {
    if (!(error instanceof TooManyComparisons || error instanceof TooManySteps)) throw error;
    return [invalidValue(base, '', error.message)];
  }
}

/** How long it takes to compare a value with another, or to write it into a message. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.ceil(value.length / CHARACTERS);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + sizeOf(name) + sizeOf(member), 1);
}

/** What has to be looked at for each value that a schema is for. */
function costOf(schema: Json): number {
  const lists = ['enum', 'required', 'anyOf', 'oneOf', 'allOf'].map((name) => schema[name]);
  const listed = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 1);
  return listed + (isObject(schema.properties) ? Object.keys(schema.properties).length : 0);
}

function errorsOf(schema: Json, value: unknown, place: Place): FieldError[] {
  const { base, name, patterns } = place;
  // Any of them may become a message, which begins with the path.
  patterns.compare(costOf(schema) * (1 + Math.floor((base.length + name.length) / PATH_CHARACTERS)));
  const wanted = textAt(schema, 'type');
  const type = typeOf(value);
  if (value === null) return wanted === '' || schema.nullable === true ? [] : [wrongType(place, wanted, 'null')];
  const own = [
    ...(wanted === '' || isOf(type, wanted, value) ? [] : [wrongType(place, wanted, type)]),
    ...combined(schema, value, place),
    ...(typeof value === 'string' ? ofText(schema, value, place) : []),
    ...(typeof value === 'number' ? ofNumber(schema, value, place) : []),
  ];
  patterns.compare(own.length * WRITTEN);
  return [
    ...own,
    ...(Array.isArray(value) ? ofList(schema, value, place) : []),
    ...ofEnum(schema, value, place),
    ...(isObject(value) ? ofObject(schema, value, place) : []),
  ];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

const isOf = (type: string, wanted: string, value: unknown): boolean =>
  type === wanted || (wanted === 'number' && type === 'integer') || (wanted === 'integer' && Number.isInteger(value));

const pathOf = ({ base, name }: Place): string => (name === '' ? base : `${base}.${name.replace(/^\./, '')}`);
const said = ({ name }: Place, text: string): string => `${name} in body ${text}`;
const refused = (place: Place, value: unknown, text: string): FieldError =>
  invalidValue(pathOf(place), value, said(place, text));

const wrongType = (place: Place, wanted: string, type: string): FieldError =>
  typeInvalid(pathOf(place), type, said(place, `must be of type ${wanted}: "${type}"`));

/** Of lengths and pattern, the first that is not kept is told. */
function ofText(schema: Json, value: string, place: Place): FieldError[] {
  const format = textAt(schema, 'format');
  place.patterns.compare(sizeOf(value));
  const form = () => said(place, `must be of type ${format}: ${verbatim(value).text}`);
  return [
    ...ofForm(schema, value, place),
    ...(isOfFormat(format, value) ? [] : [typeInvalid(pathOf(place), value, form())]),
  ];
}

function ofForm(schema: Json, value: string, place: Place): FieldError[] {
  const length = [...value].length;
  const [most, least] = [numberAt(schema, 'maxLength'), numberAt(schema, 'minLength')];
  const pattern = textAt(schema, 'pattern');
  if (most !== undefined && length > most)
    return [{ ...tooLong(pathOf(place), most), message: `Too long: may not be longer than ${most}` }];
  if (least !== undefined && length < least) return [refused(place, value, `should be at least ${least} chars long`)];
  const fault = pattern === '' ? undefined : place.patterns.faultOf(pattern, value);
  return fault === undefined ? [] : [refused(place, value, `should match '${fault}'`)];
}

function ofNumber(schema: Json, value: number, place: Place): FieldError[] {
  const [most, least, factor] = ['maximum', 'minimum', 'multipleOf'].map((name) => numberAt(schema, name));
  const [below, above] = [schema.exclusiveMaximum === true, schema.exclusiveMinimum === true];
  const errors: FieldError[] = [];
  if (factor !== undefined && !isWhole(value / factor))
    errors.push(refused(place, value, `should be a multiple of ${factor}`));
  if (most !== undefined && (below ? value >= most : value > most))
    errors.push(refused(place, value, `should be less than ${below ? '' : 'or equal to '}${most}`));
  if (least !== undefined && (above ? value <= least : value < least))
    errors.push(refused(place, value, `should be greater than ${above ? '' : 'or equal to '}${least}`));
  return errors;
}

/** As far as fractions can be told apart: 0.3 is three times 0.1. */
const isWhole = (quotient: number): boolean =>
  Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));

function ofList(schema: Json, value: readonly unknown[], place: Place): FieldError[] {
  const items = itemSchema(schema);
  const [most, least] = [numberAt(schema, 'maxItems'), numberAt(schema, 'minItems')];
  return [
    ...(items ? value.flatMap((item, at) => errorsOf(items, item, { ...place, name: `${place.name}[${at}]` })) : []),
    ...(least !== undefined && value.length < least
      ? [refused(place, value.length, `should have at least ${least} items`)]
      : []),
    ...(most !== undefined && value.length > most ? [tooMany(pathOf(place), value.length, most)] : []),
  ];
}

function ofEnum(schema: Json, value: unknown, place: Place): FieldError[] {
  const { enum: known } = schema;
  if (!Array.isArray(known) || known.length === 0) return [];
  place.patterns.compare(known.length * sizeOf(value));
  if (known.some((one) => equal(one, value))) return [];
  place.patterns.compare(sizeOf(known) + WRITTEN);
  return [
    notSupported(
      pathOf(place),
      shownUntyped(value),
      known.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
    ),
  ];
}

function ofObject(schema: Json, value: Json, place: Place): FieldError[] {
  const size = Object.keys(value).length;
  const [most, least] = [numberAt(schema, 'maxProperties'), numberAt(schema, 'minProperties')];
  if (least !== undefined && size < least) return [refused(place, size, `should have at least ${least} properties`)];
  if (most !== undefined && size > most) return [tooMany(pathOf(place), size, most)];
  const others = schema.additionalProperties;
  const at = (name: string): Place => ({ ...place, name: place.name === '' ? name : `${place.name}.${name}` });
  const beside = (name: string): Place => ({ ...place, name: `${place.name}.${name}` });
  return [
    ...Object.entries(value).flatMap(([name, member]) =>
      isObject(others) && !propertyOf(schema, name) ? errorsOf(others, member, beside(name)) : [],
    ),
    ...propertiesOf(schema).flatMap(([name, property]) =>
      Object.hasOwn(value, name) ? errorsOf(property, value[name], at(name)) : [],
    ),
    ...stringsAt(schema, 'required')
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => required(pathOf(beside(name)))),
  ];
}

/** Of several alternatives that all fail, the errors of the first are told, too. */
function combined(schema: Json, value: unknown, place: Place): FieldError[] {
  const tried = (name: string) => objectsAt(schema, name).map((one) => errorsOf(one, value, place));
  const composite = (text: string) => invalidValue(place.base, '', `"${place.name}" ${text}`);
  const [any, one, all] = [tried('anyOf'), tried('oneOf'), tried('allOf')];
  const fits = (results: readonly FieldError[][]) => results.filter((errors) => errors.length === 0).length;
  const errors: FieldError[] = [];
  if (any.length > 0 && fits(any) === 0)
    errors.push(composite('must validate at least one schema (anyOf)'), ...(any[0] ?? []));
  if (one.length > 0 && fits(one) === 0)
    errors.push(composite('must validate one and only one schema (oneOf). Found none valid'), ...(one[0] ?? []));
  if (fits(one) > 1)
    errors.push(composite(`must validate one and only one schema (oneOf). Found ${fits(one)} valid alternatives`));
  if (fits(all) < all.length)
    errors.push(
      ...all.flat(),
      composite(`must validate all the schemas (allOf)${fits(all) === 0 ? '. None validated' : ''}`),
    );
  if (isObject(schema.not) && errorsOf(schema.not, value, place).length === 0)
    errors.push(composite('must not validate the schema (not)'));
  return errors;
}
