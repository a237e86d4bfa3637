import { setMember } from './object.js';

/**
 * A copy of a value that came from JSON, which shares nothing with it: the one way in which objects are copied. Several times
 * as fast as `structuredClone`, and on the path of every update.
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    setMember(made, name, copy((value as Record<string, unknown>)[name]));
  }
  return made;
}
