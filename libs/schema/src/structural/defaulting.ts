import { copy, setMember } from '@orch/machinery';
import { Effort } from './effort.js';
import { normalizeEmbedded } from './embedded-metadata.js';
import { isContainer, isObject, type Json } from './json.js';
import { NO_STEPS, type Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';

/** Values that the defaults of one object may add to it. */
const MOST_ADDED = 500_000;

/** Thrown when defaults would make an object exceed the limit. */
export class TooManyDefaults extends Error {
  constructor() {
    super(`defaults would add more than ${MOST_ADDED} values to the object`);
  }
}

/**
 * Fills in, in place and in steps, the defaults of absent members, and of nulls that may not be null. Nothing is filled
 * in below an absent member without a default. Metadata of embedded objects that are filled in is normalized, as for
 * those that clients send.
 * @throws TooManyDefaults
 */
export function* fillDefaults(object: unknown, schema: StructuralSchema, effort = Effort.inSteps()): Steps<void> {
  yield* new Defaulting(effort, false).fill(object, schema);
  yield* normalizeEmbedded(object, schema, true, effort);
}

/**
 * Same for a stored object, whatever its schema was when it was made: it is filled in as far as the limits allow, so
 * that it can be read and removed.
 * @returns whether all defaults were filled in
 */
export function* fillThere(object: unknown, schema: StructuralSchema, effort = Effort.inSteps()): Steps<boolean> {
  const defaulting = new Defaulting(effort, true);
  yield* defaulting.fill(object, schema);
  yield* normalizeEmbedded(object, schema, true, effort);
  return !defaulting.leftOut;
}

/** Characters of a text that weigh as much as one value. */
const CHARACTERS = 16;

class Defaulting {
  #left = MOST_ADDED;
  /** Values up to which a stored object is filled in: counted in order, so that the result is the same each time. */
  #room = MOST_ADDED;
  /** Whether some were left out. */
  leftOut = false;

  /** @param isThere whether defaults beyond the limit are left out instead of refused */
  constructor(
    private readonly effort: Effort,
    private readonly isThere: boolean,
  ) {}

  /** @param inMetadata whether the value is in the metadata of an embedded object, which no schema prunes */
  fill(value: unknown, schema: StructuralSchema | undefined, inMetadata = false): Iterable<undefined> {
    if (!schema) return NO_STEPS;
    if (Array.isArray(value)) return schema.items ? this.#fillItems(value, schema.items, inMetadata) : NO_STEPS;
    return isObject(value) ? this.#fillMembers(value, schema, inMetadata) : NO_STEPS;
  }

  *#fillItems(list: unknown[], schema: StructuralSchema, inMetadata: boolean): Steps<void> {
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(1)) yield;
      this.#room -= roomOf(item);
      if (item === null && !schema.nullable && schema.default !== undefined)
        list[at] = this.#made(schema, inMetadata) ?? null;
      if (isContainer(list[at])) yield* this.fill(list[at], schema, inMetadata);
    }
  }

  *#fillMembers(object: Json, schema: StructuralSchema, inMetadata: boolean): Steps<void> {
    const within = (name: string) => inMetadata || (schema.embedded && name === 'metadata');
    for (const [name, property] of schema.defaulted) {
      const isAbsent = !Object.hasOwn(object, name) || (object[name] === null && !property.nullable);
      if (isAbsent) this.#put(object, name, property, within(name));
    }
    const { others } = schema;
    for (const name of Object.keys(object)) {
      if (this.effort.endsStep(1)) yield;
      this.#room -= roomOf(object[name]);
      if (object[name] !== null && !isContainer(object[name])) continue;
      const property = schema.property(name);
      const isNull = object[name] === null && !property && others?.nullable === false;
      if (isNull && others?.default !== undefined) this.#put(object, name, others, inMetadata);
      if (isContainer(object[name])) yield* this.fill(object[name], property ?? others, within(name));
    }
  }

  #put(object: Json, name: string, schema: StructuralSchema, inMetadata: boolean): void {
    const made = this.#made(schema, inMetadata);
    if (made !== undefined) setMember<unknown>(object, name, made);
  }

  /** Undefined beyond the limit. */
  #made(schema: StructuralSchema, inMetadata: boolean): unknown {
    if (this.isThere && this.#room < 0) {
      this.leftOut = true;
      return undefined;
    }
    this.#left -= schema.defaultSize;
    if (this.#left < 0 && !this.isThere) throw new TooManyDefaults();
    this.effort.compare(schema.defaultSize);
    return copy(inMetadata ? schema.props.default : schema.default);
  }
}

const roomOf = (value: unknown): number => (typeof value === 'string' ? 1 + value.length / CHARACTERS : 1);

/**
 * Drops, in place and in steps, members that are null although they may not be, and have no default: they count as
 * unset. Those with a default are filled in by {@link fillDefaults}.
 */
export function* dropNulls(value: unknown, schema: StructuralSchema | undefined, effort: Effort): Steps<void> {
  if (!schema) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (effort.endsStep(1)) yield;
      if (isContainer(item)) yield* dropNulls(item, schema.items, effort);
    }
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (effort.endsStep(1)) yield;
    const each = value[name];
    if (isContainer(each)) yield* dropNulls(each, schema.member(name), effort);
    if (each !== null) continue;
    const member = schema.member(name);
    if (member && !member.nullable && member.default === undefined) delete value[name];
  }
}
