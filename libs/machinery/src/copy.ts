import { setMember } from './object.js';
import { textOf, withText } from './opaque-text.js';

/**
 * Copies a value that came from JSON; the copy shares nothing with it. All objects are copied in this way. Several
 * times as fast as `structuredClone`, and on the path of every update. The text that a value was read from is copied
 * too ({@link withText}).
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const text = textOf(value);
  const made = Array.isArray(value) ? value.map(copy) : copyOfMembers(value);
  return text === undefined ? made : withText(made, text);
}

function copyOfMembers(value: object): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    setMember(made, name, copy((value as Record<string, unknown>)[name]));
  }
  return made;
}
