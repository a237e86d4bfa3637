import { duplicate, type FieldError, invalidValue, setMember, shownUntyped } from '@orch/machinery';
import type { Effort } from './effort.js';
import { childOf } from './embedded-objects.js';
import { limitedErrors } from './findings.js';
import { isContainer, isObject, type Json } from './json.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';

/**
 * Finds duplicate elements in lists that are sets, or maps by some of their members. Of several equal ones, one is
 * reported.
 * @param old the object before an update: lists that had duplicates may have any
 */
export function* uniquenessErrors(
  object: unknown,
  old: unknown,
  schema: StructuralSchema,
  effort: Effort,
): Steps<FieldError[]> {
  const errors = yield* repeatedIn(object, schema, effort);
  return errors.length > 0 && (yield* repeatedIn(old, schema, effort)).length > 0 ? [] : errors;
}

const repeatedIn = (object: unknown, schema: StructuralSchema, effort: Effort): Steps<FieldError[]> =>
  limitedErrors(schema.holdsUnique ? new Uniqueness(effort).errorsIn(object, schema, '') : []);

/** Findings; undefined where other work may run. */
type Found = Iterable<FieldError | undefined>;

class Uniqueness {
  constructor(private readonly effort: Effort) {}

  errorsIn(value: unknown, schema: StructuralSchema | undefined, path: string): Found {
    if (!schema?.holdsUnique) return NOTHING;
    if (Array.isArray(value)) return this.#inList(value, schema, path);
    return isObject(value) ? this.#inMembers(value, schema, path) : NOTHING;
  }

  *#inMembers(object: Json, schema: StructuralSchema, path: string): Found {
    for (const name of Object.keys(object)) {
      const member = object[name];
      if (this.effort.endsStep(1)) yield;
      if (!isContainer(member)) continue;
      const property = schema.property(name);
      if (property) yield* this.errorsIn(member, property, childOf(path, name));
      else yield* this.errorsIn(member, schema.others, `${path}[${name}]`);
    }
  }

  *#inList(list: readonly unknown[], schema: StructuralSchema, path: string): Found {
    const { items, props } = schema;
    const type = props['x-kubernetes-list-type'];
    if (type === 'set') yield* this.#repeated(list, path);
    if (type === 'map') yield* this.#repeatedByKeys(list, props['x-kubernetes-list-map-keys'] ?? [], path);
    if (!items?.holdsUnique) return;
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(1)) yield;
      if (isContainer(item)) yield* this.errorsIn(item, items, `${path}[${at}]`);
    }
  }

  *#repeatedByKeys(list: readonly unknown[], keys: readonly string[], path: string): Found {
    const shown: Json[] = [];
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(keys.length)) yield;
      if (item !== null && !isObject(item)) {
        const text = 'must be an object for an array of list-type map';
        yield invalidValue(`${path}[${at}]`, shownUntyped(item), text);
        return;
      }
      shown.push(keysOf(item, keys));
    }
    yield* this.#repeated(shown, path);
  }

  *#repeated(list: readonly unknown[], path: string): Found {
    const times = new Map<unknown, number>();
    for (const [at, item] of list.entries()) {
      const key = isContainer(item) ? (scalarsKey(item) ?? (yield* this.#keyOf(item))) : scalarKey(item);
      if (this.effort.endsStep(isContainer(item) ? FEW : 1)) yield;
      const before = times.get(key) ?? 0;
      times.set(key, before + 1);
      if (before === 1) yield duplicate(`${path}[${at}]`, shownUntyped(item));
    }
  }

  /** Same key for values that are equal except for the order of members. */
  *#keyOf(value: unknown): Steps<string> {
    if (this.effort.endsStep(1)) yield;
    if (typeof value === 'bigint') return value.toString();
    const parts: string[] = [];
    if (Array.isArray(value)) {
      for (const item of value) parts.push(yield* this.#keyOf(item));
      return `[${parts.join()}]`;
    }
    if (!isObject(value)) return JSON.stringify(value);
    for (const name of Object.keys(value).sort())
      parts.push(`${JSON.stringify(name)}:${yield* this.#keyOf(value[name])}`);
    return `{${parts.join()}}`;
  }
}

/** Same at once for objects of a few scalar members, as most keys of lists that are maps. */
function scalarsKey(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const names = Object.keys(value);
  if (names.length > FEW) return undefined;
  let text = '';
  for (const name of names.length > 1 ? names.sort() : names) {
    const member = (value as Json)[name];
    if (isContainer(member)) return undefined;
    const shown = typeof member === 'bigint' ? member.toString() : JSON.stringify(member);
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${shown}`;
  }
  return `{${text}}`;
}

const FEW = 8;
const NOTHING: Found = [];

/** Returns the members that identify an element. */
function keysOf(item: unknown, keys: readonly string[]): Json {
  const shown: Json = {};
  if (isObject(item)) for (const key of keys) if (Object.hasOwn(item, key)) setMember(shown, key, item[key]);
  return shown;
}

/** Key of a scalar; texts cannot equal other values. */
const scalarKey = (value: unknown): unknown => (typeof value === 'string' ? `"${value}` : value);
