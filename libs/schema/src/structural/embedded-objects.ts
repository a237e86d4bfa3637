import {
  dns1035LabelErrors,
  type FieldError,
  invalidValue,
  type ObjectMeta,
  parseApiVersion,
  required,
  shownUntyped,
  validateObjectMeta,
} from '@orch/machinery';
import { toldOf } from './findings.js';
import { isObject, type Json } from './json.js';
import { metadataFault } from './metadata-fault.js';
import type { StructuralSchema } from './structural-schema.js';

/** What is wrong with types and metadata of the whole objects in a value; what cannot be read at all is told alone. */
export function embeddedErrors(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  const unreadable = eachEmbedded(schema, value, path, readErrors);
  return unreadable.length > 0 ? unreadable.slice(0, 1) : embeddedRuleErrors(schema, value, path);
}

/** The same of a value whose types and metadata can be read. */
export const embeddedRuleErrors = (schema: StructuralSchema, value: unknown, path: string): FieldError[] =>
  eachEmbedded(schema, value, path, ruleErrors);

type Judge = (object: Json, path: string) => FieldError[];

const eachEmbedded = (schema: StructuralSchema, value: unknown, path: string, judge: Judge): FieldError[] =>
  toldOf(judged(schema, value, path, judge));

function* judged(schema: StructuralSchema, value: unknown, path: string, judge: Judge): Iterable<FieldError> {
  for (const [object, at] of embeddedIn(schema, value, path)) yield* judge(object, at);
}

/** The whole objects in a value, with their paths. */
export function* embeddedIn(
  schema: StructuralSchema | undefined,
  value: unknown,
  path: string,
): Iterable<readonly [Json, string]> {
  if (!schema || typeof value !== 'object' || value === null || !schema.root.holdsEmbedded) return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* embeddedIn(schema.items, item, `${path}[${at}]`);
    return;
  }
  if (!isObject(value)) return;
  if (schema.embedded) yield [value, path];
  for (const [name, member] of Object.entries(value)) {
    const property = schema.property(name);
    if (property) yield* embeddedIn(property, member, childOf(path, name));
    else yield* embeddedIn(schema.others, member, `${path}[${name}]`);
  }
}

export const childOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

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
  const name = typeof metadata.name === 'string' && metadata.name !== '' ? metadata.name : 'fakename';
  const meta: ObjectMeta = { ...metadata, name };
  return validateObjectMeta(meta, { namespaced: Boolean(meta.namespace), nameRule: 'pathSegment', path });
}
