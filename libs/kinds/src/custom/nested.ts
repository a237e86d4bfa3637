import { type ApiObject, goType, isInt64, plainText, setMember } from '@orch/machinery';
import { isObject, type Json } from '../values/fields.js';

/**
 * Thrown where an object has another value at a path than is looked for there; the message is that of the reference.
 */
export class AccessError extends Error {}

/** A path of member names as definitions write it: `.spec.replicas`. */
type MemberPath = readonly string[];

/** Parses a path such as `.spec.replicas`. */
export const memberPath = (text: string): MemberPath => text.replace(/^\./, '').split('.');

const pathText = (path: MemberPath): string => `.${path.join('.')}`;

/** The integer at a path; undefined where there is none. @throws AccessError for anything else there */
export function integerAt(object: ApiObject, path: MemberPath): number | bigint | undefined {
  const value = valueAt(object, path);
  if (value === undefined || (typeof value === 'bigint' && isInt64(value))) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw accessError(path, value, 'int64');
}

/** The text at a path; '' where there is none. @throws AccessError for anything else there */
export function stringAt(object: ApiObject, path: MemberPath): string {
  const value = valueAt(object, path);
  if (value === undefined || typeof value === 'string') return value ?? '';
  throw accessError(path, value, 'string');
}

/** Undefined where the path ends early. */
function valueAt(object: ApiObject, path: MemberPath): unknown {
  let value: unknown = object;
  for (const [step, name] of path.entries()) {
    if (value === null) return undefined;
    if (!isObject(value)) throw accessError(path.slice(0, step + 1), value, 'map[string]interface{}');
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * Sets the value at a path, and makes the objects on its way. Mutates.
 * @throws AccessError where something else is in the way
 */
export function setAt(object: ApiObject, path: MemberPath, value: unknown): void {
  let parent: Json = object;
  for (const [step, name] of path.slice(0, -1).entries()) {
    if (!Object.hasOwn(parent, name)) setMember<unknown>(parent, name, {});
    const child = parent[name];
    if (!isObject(child)) {
      const text = `${pathText(path.slice(0, step + 1))} is not a map[string]interface{}`;
      throw new AccessError(`value cannot be set because ${text}`);
    }
    parent = child;
  }
  setMember(parent, path.at(-1) ?? '', value);
}

const accessError = (path: MemberPath, value: unknown, wanted: string): AccessError =>
  new AccessError(
    `${pathText(path)} accessor error: ${plainText(value)} is of the type ${goType(value)}, expected ${wanted}`,
  );
