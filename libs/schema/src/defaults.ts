import { copy, type JsonValue, parseQuantity, Quantity } from '@orch/machinery';
import type { Field, Schema, StructSchema } from './model.js';

type Members = Record<string, unknown>;
type Apply = (members: Members) => void;

const compiled = new WeakMap<StructSchema, Apply>();
const NOTHING: Apply = () => undefined;

/**
 * Fills in the declared defaults of an object, in place. Conditional defaults are left to the kind's own rules. A
 * struct that is no pointer is created when a member inside has a default, as if it had been written as `{}`. Subtrees
 * without defaults cost nothing; values of the wrong type are left to validation.
 */
export function applyDefaults(schema: StructSchema, object: object): void {
  applier(schema)(object as Members);
}

function applier(schema: StructSchema): Apply {
  const known = compiled.get(schema);
  if (known) return known;
  if (!hasDefaults(schema, new Set())) {
    compiled.set(schema, NOTHING);
    return NOTHING;
  }
  // Compiled on first use: structs may contain themselves.
  let steps: readonly Apply[] | undefined;
  const apply: Apply = (members) => {
    steps ??= compileSteps(schema);
    for (const step of steps) step(members);
  };
  compiled.set(schema, apply);
  return apply;
}

function compileSteps(schema: StructSchema): readonly Apply[] {
  const below = (schema.pathDefaults ?? []).map(({ path, value }) => pathStep(schema, path, value));
  const own = [...schema.fields.values()].flatMap((field) => [...defaultStep(field), ...nestedStep(field)]);
  return [...below, ...own];
}

/** Sets the field's own default. */
function defaultStep(field: Field): readonly Apply[] {
  const { name, default: value } = field;
  if (value === undefined) return [];
  const isUnset = unsetTest(field);
  const make = maker(value);
  return [
    (members) => {
      if (isUnset(members[name])) members[name] = make();
    },
  ];
}

/** Visits the structs that a field holds. */
function nestedStep(field: Field): readonly Apply[] {
  const { name, schema } = field;
  const visit = visitor(schema);
  if (!visit) return [];
  const makesStruct = schema.kind === 'struct' && !field.pointer && defaultsUnasked(schema);
  return [
    (members) => {
      let value = members[name];
      if (value === undefined || value === null) {
        if (!makesStruct) return;
        members[name] = value = {};
      }
      visit(value);
    },
  ];
}

/** Applies defaults inside a value; undefined when there are none. */
function visitor(schema: Schema): ((value: unknown) => void) | undefined {
  switch (schema.kind) {
    case 'struct': {
      if (schema.customJson || !hasDefaults(schema, new Set())) return undefined;
      const apply = applier(schema);
      return (value) => {
        if (isMembers(value)) apply(value);
      };
    }
    case 'list': {
      const visit = visitor(schema.items);
      if (!visit) return undefined;
      return (value) => {
        if (Array.isArray(value)) for (const item of value) visit(item);
      };
    }
    case 'map': {
      if (schema.values.kind === 'quantity') return roundAmounts;
      const visit = visitor(schema.values);
      if (!visit) return undefined;
      return (value) => {
        if (isMembers(value)) for (const item of Object.values(value)) visit(item);
      };
    }
    default:
      return undefined;
  }
}

/** Rounds amounts of resources to thousandths, up and away from zero. */
function roundAmounts(amounts: unknown): void {
  if (!isMembers(amounts)) return;
  for (const name of Object.keys(amounts)) {
    const amount = amounts[name];
    if (typeof amount === 'string' && BELOW_MILLI.test(amount)) amounts[name] = roundedUp(amount);
  }
}

const NANOS_IN_MILLI = 1_000_000n;
/** Canonical amounts that are no whole thousandths. */
const BELOW_MILLI = /(?:[un]|e-[69])$/;

function roundedUp(text: string): string {
  const { nanos, format } = parseQuantity(text);
  const rest = nanos % NANOS_IN_MILLI;
  const rounded = rest === 0n ? nanos : nanos - rest + (nanos < 0n ? -NANOS_IN_MILLI : NANOS_IN_MILLI);
  return new Quantity(rounded, format).toString();
}

/** Sets a default further down, creating structs that are no pointers on the way. */
function pathStep(schema: StructSchema, path: readonly string[], value: JsonValue): Apply {
  const [name = '', ...rest] = path;
  const field = schema.fields.get(name);
  if (!field) throw new Error(`${schema.id} has no field ${name} to default`);
  if (rest.length === 0) return defaultStep({ ...field, default: value })[0] ?? NOTHING;
  if (field.schema.kind !== 'struct') throw new Error(`${schema.id}.${name} is no struct`);
  const step = pathStep(field.schema, rest, value);
  return (members) => {
    let inner = members[name];
    if ((inner === undefined || inner === null) && !field.pointer) members[name] = inner = {};
    if (isMembers(inner)) step(inner);
  };
}

/** A field that is no pointer cannot tell unset from zero. */
function unsetTest(field: Field): (value: unknown) => boolean {
  if (field.pointer) return (value) => value === undefined || value === null;
  switch (field.schema.kind) {
    case 'list':
    case 'map':
    case 'struct':
      return (value) => value === undefined || value === null;
    default:
      return (value) => value === undefined || value === null || value === '' || value === 0 || value === false;
  }
}

function maker(value: JsonValue): () => JsonValue {
  return typeof value === 'object' && value !== null ? () => copy(value) : () => value;
}

/** Whether an empty value of the struct would get a default. */
function defaultsUnasked(schema: StructSchema): boolean {
  if (schema.customJson) return false;
  if (schema.pathDefaults) return true;
  return [...schema.fields.values()].some(
    (field) =>
      field.default !== undefined ||
      (field.schema.kind === 'struct' && !field.pointer && defaultsUnasked(field.schema)),
  );
}

function hasDefaults(schema: Schema, seen: Set<StructSchema>): boolean {
  if (schema.kind === 'list') return hasDefaults(schema.items, seen);
  if (schema.kind === 'map') return schema.values.kind === 'quantity' || hasDefaults(schema.values, seen);
  if (schema.kind !== 'struct' || seen.has(schema)) return false;
  seen.add(schema);
  if (schema.pathDefaults) return true;
  return [...schema.fields.values()].some((field) => field.default !== undefined || hasDefaults(field.schema, seen));
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
