import { copy, setMember } from '@orch/machinery';
import { isObject, type Json } from './json.js';
import type { StructuralSchema } from './structural-schema.js';

/** Values that the defaults of one object may add to it. */
const MOST_ADDED = 500_000;

/** Thrown when an object would grow without bounds by its defaults. */
export class TooManyDefaults extends Error {
  constructor() {
    super(`defaults would add more than ${MOST_ADDED} values to the object`);
  }
}

/**
 * Fills in, in place, the defaults of what is absent in an object, and of nulls that may not be null. Nothing is filled in below
 * what is absent and has no default.
 * @throws TooManyDefaults
 */
export function fillDefaults(object: unknown, schema: StructuralSchema): void {
  new Defaulting().fill(object, schema);
}

class Defaulting {
  #left = MOST_ADDED;

  fill(value: unknown, schema: StructuralSchema | undefined): void {
    if (!schema || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.#fillItems(value, schema.items);
    else if (isObject(value)) this.#fillMembers(value, schema);
  }

  #fillItems(list: unknown[], schema: StructuralSchema | undefined): void {
    if (!schema) return;
    for (const [at, item] of list.entries()) {
      if (item === null && !schema.nullable && schema.default !== undefined) list[at] = this.#made(schema);
      this.fill(list[at], schema);
    }
  }

  #fillMembers(object: Json, schema: StructuralSchema): void {
    for (const [name, property] of schema.defaulted) {
      const isAbsent = !Object.hasOwn(object, name) || (object[name] === null && !property.nullable);
      if (isAbsent) setMember(object, name, this.#made(property));
    }
    for (const name of Object.keys(object)) {
      const property = schema.property(name);
      const { others } = schema;
      const isNull = object[name] === null && !property && others?.nullable === false;
      if (isNull && others?.default !== undefined) setMember(object, name, this.#made(others));
      this.fill(object[name], property ?? others);
    }
  }

  #made(schema: StructuralSchema): unknown {
    this.#left -= schema.defaultSize;
    if (this.#left < 0) throw new TooManyDefaults();
    return copy(schema.default);
  }
}

/**
 * Drops, in place, members that are null although they may not be, and have no default: those mean that nothing was said. Those that
 * have one are filled in by {@link fillDefaults}.
 */
export function dropNulls(value: unknown, schema: StructuralSchema | undefined): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema.items);
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const member = schema.member(name);
    if (value[name] === null && member && !member.nullable && member.default === undefined) delete value[name];
    else dropNulls(value[name], member);
  }
}
