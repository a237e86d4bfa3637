import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import {
  type Field,
  type ListSchema,
  type MapSchema,
  SCALAR_KINDS,
  type Schema,
  type StructSchema,
} from '@orch/schema';
import { MapKey, MISMATCH, type ReadState, type SchemaReader, structName } from './read-state.js';
import { SCALAR_READERS, zeroOf } from './scalar-readers.js';

interface FieldReader {
  readonly schema: Schema;
  readonly read: SchemaReader;
  /** Whether its reader uses the path, which must then include the field's name. */
  readonly composite: boolean;
  /** Whether the zero value equals no value. */
  readonly omitsZero: boolean;
}

const isComposite = ({ kind }: Schema): boolean => kind === 'struct' || kind === 'list' || kind === 'map';

const OMITTED_KINDS: ReadonlySet<string> = new Set([...SCALAR_KINDS, 'list']);

const isZero = (value: JsonValue): boolean => (Array.isArray(value) ? value.length === 0 : !value);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies the members before `keys[end]` unchanged. */
function copyBefore(object: JsonObject, keys: readonly string[], end: number): JsonObject {
  const copy: JsonObject = {};
  for (let i = 0; i < end; i++) {
    const key = keys[i] as string;
    setMember(copy, key, object[key]);
  }
  return copy;
}

const readers = new WeakMap<StructSchema, SchemaReader>();

/** Returns the reader of a struct, compiled at its first use and cached with the schema. */
export function structReader(schema: StructSchema): SchemaReader {
  let reader = readers.get(schema);
  if (!reader) {
    reader = schema.customJson ? readerOfCustomJson(schema) : readerOfStruct(schema);
    readers.set(schema, reader);
  }
  return reader;
}

function readerOf(schema: Schema, owner: string): SchemaReader {
  switch (schema.kind) {
    case 'struct': {
      // Looked up on first use, since structs may contain themselves.
      let reader: SchemaReader | undefined;
      return (value, state) => {
        reader ??= structReader(schema);
        state.enter();
        const read = reader(value, state);
        state.leave();
        return read;
      };
    }
    case 'list':
      return readerOfList(schema, owner);
    case 'map':
      return readerOfMap(schema, owner);
    default:
      return SCALAR_READERS[schema.kind];
  }
}

function readerOfField({ schema, omitEmpty, pointer }: Field, owner: string): FieldReader {
  const mayBeOmitted = omitEmpty && !pointer;
  // An empty list or map counts as unset even where null does.
  const emptyIsNone = !pointer && (schema.kind === 'list' || schema.kind === 'map');
  return {
    schema,
    // The reader knows whether all of thousands of members were dropped, which is slow to find out afterwards.
    read: schema.kind === 'map' && emptyIsNone ? readerOfMap(schema, owner, true) : readerOf(schema, owner),
    composite: isComposite(schema),
    omitsZero: (mayBeOmitted && OMITTED_KINDS.has(schema.kind)) || (emptyIsNone && schema.kind === 'list'),
  };
}

function readerOfStruct(schema: StructSchema): SchemaReader {
  const owner = structName(schema.id);
  const fields = new Map([...schema.fields].map(([name, field]) => [name, readerOfField(field, owner)]));
  return (value, state) => {
    if (!isObject(value)) return MISMATCH;
    const repeated = state.duplicates?.get(value);
    const keys = Object.keys(value);
    let copy: JsonObject | undefined;
    for (let i = 0; i < keys.length; i++) {
      const name = keys[i] as string;
      const member = value[name];
      const field = fields.get(name);
      if (!field) state.problem('unknown', name);
      const read = field && readField(field, name, member, state, owner);
      if (field && repeated?.has(name)) state.problem('duplicate', name);
      if (read === undefined || read !== member) copy ??= copyBefore(value, keys, i);
      if (copy && read !== undefined) copy[name] = read;
    }
    return copy ?? value;
  };
}

function readField(
  field: FieldReader,
  name: string,
  member: JsonValue | undefined,
  state: ReadState,
  owner: string,
): JsonValue | undefined {
  if (member === null || member === undefined) return undefined;
  if (field.composite) state.path.push(name);
  const read = field.read(member, state);
  if (field.composite) state.path.pop();
  if (read === MISMATCH) throw state.mismatch(member, field.schema, owner, name);
  return field.omitsZero && read !== undefined && isZero(read) ? undefined : read;
}

/** Replacement for null in lists and maps. */
const zeroValue = (schema: Schema): JsonValue => {
  if (schema.kind === 'struct' || schema.kind === 'map') return {};
  return schema.kind === 'list' ? [] : zeroOf(schema.kind);
};

function readerOfList({ items }: ListSchema, owner: string): SchemaReader {
  const readItem = readerOf(items, owner);
  const composite = isComposite(items);
  return (value, state) => {
    if (!Array.isArray(value)) return MISMATCH;
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue;
      let read: ReturnType<SchemaReader>;
      if (item === null) read = zeroValue(items);
      else {
        if (composite) state.path.push(i);
        read = readItem(item, state);
        if (composite) state.path.pop();
        if (read === MISMATCH) throw state.mismatch(item, items, owner);
      }
      read ??= zeroValue(items);
      if (read !== item) copy ??= value.slice(0, i);
      copy?.push(read);
    }
    return copy ?? value;
  };
}

/** @param omitsEmpty whether a map without members is read as no value */
function readerOfMap({ values }: MapSchema, owner: string, omitsEmpty = false): SchemaReader {
  const readValue = readerOf(values, owner);
  const composite = isComposite(values);
  return (value, state) => {
    if (!isObject(value)) return MISMATCH;
    state.enter();
    const repeated = state.duplicates?.get(value);
    const keys = Object.keys(value);
    let copy: JsonObject | undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const member = value[key] ?? null;
      let read: ReturnType<SchemaReader>;
      if (member === null) read = zeroValue(values);
      else {
        if (composite) state.path.push(new MapKey(key));
        read = readValue(member, state);
        if (composite) state.path.pop();
        if (read === MISMATCH) throw state.mismatch(member, values, owner);
      }
      if (repeated?.has(key)) state.problem('duplicate', key);
      read ??= zeroValue(values);
      if (read !== member) copy ??= copyBefore(value, keys, i);
      if (copy) setMember(copy, key, read);
    }
    state.leave();
    if (keys.length === 0 && omitsEmpty) return undefined;
    return copy ?? value;
  };
}

type Shape = 'object' | 'array' | 'boolean' | 'other';

const shapeOf = (value: JsonValue): Shape => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'object' : typeof value === 'boolean' ? 'boolean' : 'other';
};
const SHAPES: Readonly<Record<string, Shape>> = { struct: 'object', list: 'array', bool: 'boolean' };

/**
 * Reads a value whose JSON form is one of several: a schema, a list of them, or a boolean. Unknown and repeated fields
 * within are dropped silently, as in the reference, whose strict decoder does not check types that decode themselves
 * (sigs.k8s.io/json): definitions that it accepts with `fieldValidation=Strict` must be accepted here.
 */
function readerOfCustomJson(schema: StructSchema): SchemaReader {
  const owner = structName(schema.id);
  const members = [...schema.fields.values()].map((field) => ({
    shape: SHAPES[field.schema.kind] ?? 'other',
    read: readerOf(field.schema, owner),
  }));
  return (value, state) => {
    const shape = shapeOf(value);
    const member = members.find((candidate) => candidate.shape === shape);
    if (!member) return MISMATCH;
    state.silence();
    const read = member.read(value, state);
    state.speak();
    return read;
  };
}
