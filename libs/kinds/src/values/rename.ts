import type { Json } from './fields.js';

/** A copy with members renamed; the order of members is kept. */
export function renamed(object: Json, newName: ReadonlyMap<string, string>): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [newName.get(name) ?? name, value]));
}

/** Returns the inverse of a renaming. */
export const reversed = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names].map(([from, to]) => [to, from]));
