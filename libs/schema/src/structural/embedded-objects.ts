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
import type { Effort } from './effort.js';
import { limitedErrors } from './findings.js';
import { isContainer, isObject, type Json } from './json.js';
import { metadataFault } from './metadata-fault.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';

/** Finds errors in types and metadata of the embedded objects in a value; undecodable ones are reported alone. */
export function* embeddedErrors(
  schema: StructuralSchema,
  value: unknown,
  path: string,
  effort: Effort,
): Steps<FieldError[]> {
  const unreadable = yield* eachEmbedded(schema, value, path, effort, readErrors);
  return unreadable.length > 0 ? unreadable.slice(0, 1) : yield* embeddedRuleErrors(schema, value, path, effort);
}

/** Same for a value whose types and metadata can be decoded. */
export const embeddedRuleErrors = (
  schema: StructuralSchema,
  value: unknown,
  path: string,
  effort: Effort,
): Steps<FieldError[]> => eachEmbedded(schema, value, path, effort, ruleErrors);

type Check = (object: Json, path: string, effort: Effort) => Iterable<FieldError | undefined>;

const eachEmbedded = (
  schema: StructuralSchema,
  value: unknown,
  path: string,
  effort: Effort,
  check: Check,
): Steps<FieldError[]> => limitedErrors(judged(embeddedIn(schema, value, path, effort), effort, check));

function* judged(objects: Embedded, effort: Effort, check: Check): Iterable<FieldError | undefined> {
  for (const found of objects) {
    if (found) yield* check(...found, effort);
    else yield;
  }
}

/** Embedded objects with their paths; undefined where other work may run. */
type Embedded = Iterable<readonly [Json, string] | undefined>;

/** Returns the embedded objects in a value. */
export const embeddedIn = (schema: StructuralSchema, value: unknown, path: string, effort: Effort): Embedded =>
  schema.holdsEmbedded ? embeddedBelow(schema, value, path, effort) : [];

function* embeddedBelow(schema: StructuralSchema | undefined, value: unknown, path: string, effort: Effort): Embedded {
  if (!schema?.holdsEmbedded) return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (effort.endsStep(1)) yield;
      if (isContainer(item)) yield* embeddedBelow(schema.items, item, `${path}[${at}]`, effort);
    }
    return;
  }
  if (!isObject(value)) return;
  if (schema.embedded) {
    effort.compare(CHECKED);
    yield [value, path];
  }
  for (const name of Object.keys(value)) {
    if (effort.endsStep(1)) yield;
    const member = value[name];
    if (!isContainer(member)) continue;
    const property = schema.property(name);
    if (property) yield* embeddedBelow(property, member, childOf(path, name), effort);
    else yield* embeddedBelow(schema.others, member, `${path}[${name}]`, effort);
  }
}

/** Cost of decoding or validating type and metadata of an object, in values. */
const CHECKED = 64;

export const childOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function* readErrors(object: Json, path: string, effort: Effort): Generator<FieldError | undefined, void> {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name) || typeof object[name] === 'string') continue;
    yield invalidValue(childOf(path, name), shownUntyped(object[name]), 'must be a string');
  }
  const { metadata } = object;
  const fault = Object.hasOwn(object, 'metadata') ? yield* metadataFault(metadata, effort) : undefined;
  if (fault !== undefined) yield invalidValue(childOf(path, 'metadata'), shownUntyped(metadata), fault);
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
