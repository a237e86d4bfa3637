import { duplicate, type FieldError, invalidValue, shownUntyped } from '@orch/machinery';
import { childOf } from './embedded-objects.js';
import { toldOf } from './findings.js';
import { isObject, type Json, keyOf } from './json.js';
import type { StructuralSchema } from './structural-schema.js';

/** Elements that stand twice in lists that are sets, or maps by some of their members. Of several that are the same, one is told. */
export const uniquenessErrors = (object: unknown, schema: StructuralSchema): FieldError[] =>
  schema.root.holdsUnique ? toldOf(errorsIn(object, schema, '')) : [];

/** The same of an object that is updated: where there were such elements before, there may be any. */
export const uniquenessErrorsOfUpdate = (object: unknown, old: unknown, schema: StructuralSchema): FieldError[] => {
  const errors = uniquenessErrors(object, schema);
  return errors.length > 0 && uniquenessErrors(old, schema).length > 0 ? [] : errors;
};

function* errorsIn(value: unknown, schema: StructuralSchema | undefined, path: string): Iterable<FieldError> {
  if (!schema || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield* errorsOfList(value, schema, path);
    if (schema.items) for (const [at, item] of value.entries()) yield* errorsIn(item, schema.items, `${path}[${at}]`);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const property = schema.property(name);
    if (property) yield* errorsIn(member, property, childOf(path, name));
    else yield* errorsIn(member, schema.others, `${path}[${name}]`);
  }
}

function* errorsOfList(list: readonly unknown[], { props }: StructuralSchema, path: string): Iterable<FieldError> {
  const type = props['x-kubernetes-list-type'];
  if (type === 'set') yield* repeated(list, path);
  if (type !== 'map') return;
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    const text = 'must be an object for an array of list-type map';
    yield invalidValue(`${path}[${wrong}]`, shownUntyped(list[wrong]), text);
    return;
  }
  const keys = props['x-kubernetes-list-map-keys'] ?? [];
  yield* repeated(
    list.map((item) => keysOf(item, keys)),
    path,
  );
}

/** The members that tell an element apart. */
function keysOf(item: unknown, keys: readonly string[]): Json {
  const found = isObject(item) ? item : {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(found, key)).map((key) => [key, found[key]]));
}

function* repeated(list: readonly unknown[], path: string): Iterable<FieldError> {
  const times = new Map<unknown, number>();
  for (const [at, item] of list.entries()) {
    const key = typeof item === 'object' && item !== null ? keyOf(item) : scalarKey(item);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    if (before === 1) yield duplicate(`${path}[${at}]`, shownUntyped(item));
  }
}

/** Texts are told apart from those of what is no text. */
const scalarKey = (value: unknown): unknown => (typeof value === 'string' ? `"${value}` : value);
