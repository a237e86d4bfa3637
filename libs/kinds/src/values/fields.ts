import { copy, isObject, type Json, memberOf, setMember } from '@orch/machinery';

export { isObject, type Json };

/**
 * Reading and filling objects whose parts may all be missing. Rules of declared kinds read members of generated types;
 * what reads by strings here is for values that no type describes: schemas, objects of custom kinds, and those of older
 * versions.
 */

const NOTHING: Readonly<Json> = Object.freeze({});

/** The value at a path of member names, or undefined where the path ends early. */
export const at = (value: unknown, ...path: readonly string[]): unknown => reach(value, path);

/** Follows a path. It is called some hundred times for an object, so it allocates nothing. */
function reach(value: unknown, path: readonly string[]): unknown {
  let here: unknown = value;
  for (let step = 0; step < path.length; step++) {
    if (!isObject(here)) return undefined;
    here = here[path[step] as string];
  }
  return here;
}

/** The object at a path, or an empty one that must not be written to. */
export function objectAt(value: unknown, ...path: readonly string[]): Readonly<Json> {
  const found = reach(value, path);
  return isObject(found) ? found : NOTHING;
}

/** The objects of the list at a path. */
export function objectsAt(value: unknown, ...path: readonly string[]): Json[] {
  const found = reach(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The strings of the list at a path. */
export function stringsAt(value: unknown, ...path: readonly string[]): string[] {
  const found = reach(value, path);
  return Array.isArray(found) ? found.filter((item): item is string => typeof item === 'string') : [];
}

/** The string at a path, or ''. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = reach(value, path);
  return typeof found === 'string' ? found : '';
}

/** The number at a path, or undefined. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = reach(value, path);
  if (typeof found === 'bigint') return Number(found);
  return typeof found === 'number' ? found : undefined;
}

/** The string values of the map at a path. */
export function mapAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  return objectAt(value, ...path) as Readonly<Record<string, string>>;
}

/** Names of the members that a type declares. */
export type NameOf<T> = keyof T & string;

/** The object in a member, untyped if the type of its holder is unknown. */
type Member<T, K extends keyof T> = unknown extends T[K] ? Json : NonNullable<T[K]>;

/** The object under a member name, made when it is missing. */
export function ensureObject<T extends object, K extends NameOf<T>>(parent: T, name: K): Member<T, K> {
  const members = parent as Json;
  const found = members[name];
  if (isObject(found)) return found as Member<T, K>;
  const made: Json = {};
  members[name] = made;
  return made as Member<T, K>;
}

/** Sets a member that is missing or null. */
export function fill<T extends object, K extends NameOf<T>>(parent: T, name: K, value: T[K]): void {
  parent[name] ??= value;
}

/** Sets a member that is missing or has its zero value ('' or 0). */
export function fillZero<T extends object, K extends NameOf<T>>(parent: T, name: K, value: T[K]): void {
  if (!parent[name]) parent[name] = value;
}

/** An int64 as a number; large ones are bigint so that they survive reading, and lose their last digits here. */
export const numberOf = (value: number | bigint | undefined): number | undefined =>
  typeof value === 'bigint' ? Number(value) : value;

/** Returns an int64 like {@link numberOf}; 0 if it is absent. */
export const countOf = (value: number | bigint | undefined): number => numberOf(value) ?? 0;

/** Whether a value is missing, null, or an empty list or object. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);

/** Copies a member of `from` to `to`, or removes it there when it is absent. */
export function takeFrom(to: object, from: object, name: string): void {
  const value = memberOf(from as Json, name);
  if (value === undefined) delete (to as Json)[name];
  else setMember<unknown>(to as Json, name, copy(value));
}
