import {
  dns1035LabelErrors,
  type FieldError,
  invalidValue,
  type ObjectMeta,
  parseApiVersion,
  required,
  validateObjectMeta,
} from '@orch/machinery';
import { isObject, type Json, textAt } from '../values/fields.js';
import { shownUntyped } from '../values/go-syntax.js';
import { metadataFault } from './metadata-fault.js';
import { itemSchema, propertyOf } from './schema-walk.js';

const EMBEDDED = 'x-kubernetes-embedded-resource';

/** Whether values of a schema are whole objects, with type and metadata of their own. */
export const isEmbedded = (schema: Json): boolean => schema[EMBEDDED] === true;

/** A schema with its values being whole objects. */
export const asEmbedded = (schema: Json): Json => ({ ...schema, [EMBEDDED]: true });

/** What is wrong with types and metadata of the whole objects in a value; what cannot be read at all is told alone. */
export function embeddedErrors(schema: Json, value: unknown, path: string): FieldError[] {
  const unreadable = eachEmbedded(schema, value, path, readErrors);
  return unreadable.length > 0 ? unreadable.slice(0, 1) : eachEmbedded(schema, value, path, ruleErrors);
}

type Judge = (object: Json, path: string) => FieldError[];

function eachEmbedded(schema: Json, value: unknown, path: string, judge: Judge): FieldError[] {
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    return items ? value.flatMap((item, at) => eachEmbedded(items, item, `${path}[${at}]`, judge)) : [];
  }
  if (!isObject(value)) return [];
  const { additionalProperties: others } = schema;
  const below = Object.entries(value).flatMap(([name, member]) => {
    const property = propertyOf(schema, name);
    if (property) return eachEmbedded(property, member, childOf(path, name), judge);
    return isObject(others) ? eachEmbedded(others, member, `${path}[${name}]`, judge) : [];
  });
  return [...(isEmbedded(schema) ? judge(value, path) : []), ...below];
}

const childOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function readErrors(object: Json, path: string): FieldError[] {
  const type = ['apiVersion', 'kind']
    .filter((name) => Object.hasOwn(object, name) && typeof object[name] !== 'string')
    .map((name) => invalidValue(childOf(path, name), shownUntyped(object[name]), 'must be a string'));
  const { metadata } = object;
  const fault = Object.hasOwn(object, 'metadata') ? metadataFault(metadata) : undefined;
  return fault === undefined ? type : [...type, invalidValue(childOf(path, 'metadata'), shownUntyped(metadata), fault)];
}

function ruleErrors(object: Json, path: string): FieldError[] {
  const missing = ['apiVersion', 'kind']
    .filter((name) => !Object.hasOwn(object, name))
    .map((name) => required(childOf(path, name), 'must not be empty'));
  return [...missing, ...typeErrors(object, path), ...metadataErrors(object, childOf(path, 'metadata'))];
}

function typeErrors(object: Json, path: string): FieldError[] {
  const { apiVersion, kind } = object;
  const wrong = (name: string, value: string, text: string) => invalidValue(childOf(path, name), value, text);
  const errors: FieldError[] = [];
  if (apiVersion === '') errors.push(wrong('apiVersion', '', 'must not be empty'));
  else if (typeof apiVersion === 'string' && !parseApiVersion(apiVersion))
    errors.push(wrong('apiVersion', apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  if (kind === '') errors.push(wrong('kind', '', 'must not be empty'));
  else if (typeof kind === 'string') {
    const texts = dns1035LabelErrors(kind.toLowerCase());
    if (texts.length > 0)
      errors.push(wrong('kind', kind, `may have mixed case, but should otherwise match: ${texts.join(',')}`));
  }
  return errors;
}

function metadataErrors({ metadata }: Json, path: string): FieldError[] {
  if (!isObject(metadata)) return [];
  const meta: ObjectMeta = { ...metadata, name: textAt(metadata, 'name') || 'fakename' };
  return validateObjectMeta(meta, { namespaced: Boolean(meta.namespace), nameRule: 'pathSegment', path });
}
