import { copy, type JsonObject, type JsonValue } from '@orch/machinery';
import { isAlwaysWritten, zeroOfField } from './always-written.js';
import type { Schema, StructSchema } from './model.js';

/** A value that may lack a member which is always written: a struct, or a list or map of such. */
export type FullNode =
  | { readonly kind: 'struct'; readonly struct: FullStruct }
  | { readonly kind: 'items' | 'values'; readonly of: FullNode };

/** A struct as the encoders of declared types write it. */
export interface FullStruct {
  /** The fields that are always written, with their zeros and the JSON text of those. */
  readonly always: readonly AlwaysWritten[];
  /** Fields below which members may be missing, by name. */
  readonly below: ReadonlyMap<string, FullNode>;
  /** The fields of both, by the length of their names, which identifies most names of a text without reading them. */
  readonly named: readonly (readonly NamedField[] | undefined)[];
}

/** A field that matters when a text is completed. */
export interface NamedField {
  readonly name: Buffer;
  /** Index in {@link FullStruct.always}; undefined for a field that may be omitted. */
  readonly place: number | undefined;
  readonly below: FullNode | undefined;
}

interface AlwaysWritten {
  readonly name: string;
  readonly zero: JsonValue;
  /** The member as text: `"status":{}`. */
  readonly text: string;
}

const known = new WeakMap<StructSchema, FullStruct>();

/** Returns the members of a struct that are always written; computed at its first use and kept with the schema. */
export function fullStruct(schema: StructSchema): FullStruct {
  const made = known.get(schema);
  if (made) return made;
  const always = [...schema.fields.values()].filter(isAlwaysWritten).map((field) => {
    const zero = zeroOfField(field);
    return { name: field.name, zero, text: `${JSON.stringify(field.name)}:${JSON.stringify(zero)}` };
  });
  const below = new Map<string, FullNode>();
  const named: NamedField[][] = [];
  const struct = { always, below, named };
  // Before its members: structs may contain themselves.
  known.set(schema, struct);
  for (const { name, schema: value } of schema.fields.values()) {
    const node = mayLack(value, new Set()) ? nodeOf(value) : undefined;
    if (node) below.set(name, node);
    const place = always.findIndex((each) => each.name === name);
    if (!node && place < 0) continue;
    const bytes = Buffer.from(name);
    named[bytes.length] ??= [];
    named[bytes.length]?.push({ name: bytes, place: place < 0 ? undefined : place, below: node });
  }
  return struct;
}

function nodeOf(schema: Schema): FullNode | undefined {
  if (schema.kind === 'struct') return { kind: 'struct', struct: fullStruct(schema) };
  const inner = schema.kind === 'list' ? schema.items : schema.kind === 'map' ? schema.values : undefined;
  const of = inner && nodeOf(inner);
  return of && { kind: schema.kind === 'list' ? 'items' : 'values', of };
}

function mayLack(schema: Schema, seen: Set<StructSchema>): boolean {
  if (schema.kind === 'list') return mayLack(schema.items, seen);
  if (schema.kind === 'map') return mayLack(schema.values, seen);
  if (schema.kind !== 'struct' || schema.customJson || seen.has(schema)) return false;
  seen.add(schema);
  const fields = [...schema.fields.values()];
  return fields.some((field) => isAlwaysWritten(field) || mayLack(field.schema, seen));
}

/**
 * Completes an object of a declared type as release 1.27 writes it: missing members that it always writes are added
 * with their zeros. The object is not changed; the result shares complete parts with it.
 */
export const fullObject = <T extends object>(schema: StructSchema, object: T): T =>
  completeStruct(fullStruct(schema), object as unknown as JsonObject) as unknown as T;

function completeStruct(struct: FullStruct, object: JsonObject): JsonObject {
  let made: JsonObject | undefined;
  for (const name in object) {
    const node = struct.below.get(name);
    const value = object[name];
    if (!node || typeof value !== 'object' || value === null) continue;
    const full = complete(node, value);
    if (full === value) continue;
    made ??= { ...object };
    made[name] = full;
  }
  for (const { name, zero } of struct.always) {
    if (object[name] !== undefined) continue;
    made ??= { ...object };
    made[name] = copy(zero);
  }
  return made ?? object;
}

function complete(node: FullNode, value: JsonObject | JsonValue[]): JsonValue {
  if (Array.isArray(value)) return node.kind === 'items' ? completeItems(node.of, value) : value;
  if (node.kind === 'struct') return completeStruct(node.struct, value);
  return node.kind === 'values' ? completeValues(node.of, value) : value;
}

function completeItems(node: FullNode, items: JsonValue[]): JsonValue[] {
  let made: JsonValue[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (typeof item !== 'object' || item === null) continue;
    const full = complete(node, item);
    if (full === item) continue;
    made ??= items.slice();
    made[at] = full;
  }
  return made ?? items;
}

function completeValues(node: FullNode, values: JsonObject): JsonObject {
  let made: JsonObject | undefined;
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (typeof value !== 'object' || value === null) continue;
    const full = complete(node, value);
    if (full === value) continue;
    made ??= { ...values };
    Object.defineProperty(made, name, { value: full, enumerable: true, configurable: true, writable: true });
  }
  return made ?? values;
}
