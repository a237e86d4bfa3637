import type { ApiObject } from '@orch/machinery';
import { isObject, type Json } from './fields.js';

/**
 * Returns a copy of an object with edited objects at a path; everything else is shared. Nothing changes if there is no
 * object at the path.
 * @param path names of members, separated by dots; `*` stands for every item of a list
 */
export function edited(object: ApiObject, path: string, edit: (part: Json) => Json): ApiObject {
  return editedAt(object, path === '' ? [] : path.split('.'), edit) as ApiObject;
}

function editedAt(value: unknown, path: readonly string[], edit: (part: Json) => Json): unknown {
  const [name, ...rest] = path;
  if (name === '*') return Array.isArray(value) ? value.map((item) => editedAt(item, rest, edit)) : value;
  if (!isObject(value)) return value;
  if (name === undefined) return edit(value);
  return Object.hasOwn(value, name) ? { ...value, [name]: editedAt(value[name], rest, edit) } : value;
}

/** A copy with the members that are not set: missing, null, or an empty text or list. */
export function filled(object: Json, members: Json): Json {
  const made = { ...object };
  for (const [name, value] of Object.entries(members)) if (isUnset(made[name])) made[name] = value;
  return made;
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** A copy without one member. */
export function without(object: Json, name: string): Json {
  const { [name]: _gone, ...rest } = object;
  return rest;
}
