import type { JsonValue } from '@orch/machinery';
import type { LevelsOfPlace } from '../paths/known-levels.js';
import type { PathElement } from '../paths/path-element.js';
import type { KeptOfList } from '../values/sequence.js';

/** Forms of a scalar; `untyped` is anything. */
export type ScalarForm = 'string' | 'numeric' | 'boolean' | 'untyped';

/**
 * How a value is owned and merged. A value of known form has one of the three; one of unknown form has several, and the
 * value decides which applies (see {@link formOf}).
 */
export interface Type {
  /** How it is owned as a scalar; unset if it cannot be one. */
  readonly scalar?: ScalarForm;
  /** How it is owned as a list; unset if it cannot be one. */
  readonly list?: ListType;
  /** How it is owned as an object; unset if it cannot be one. */
  readonly map?: MapType;
}

/** A struct, a map, or both: fields of their own types beside keys of one type. */
export interface MapType {
  /** Owned as a whole. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** Type of undeclared members; if unset there may be none. */
  readonly others?: Type;
  /** Value that null stands for in undeclared fields; unset if it stands for itself. */
  readonly zero?: JsonValue;
  /** Names of the fields that have a {@link FieldType.zero}. */
  readonly always: readonly string[];
  /** Plans for recent objects; maintained by `planFor`. */
  readonly plans: ObjectPlan[];
}

/** A field of a struct. */
export interface FieldType {
  readonly element: PathElement;
  readonly type: Type;
  /** Default of the field when it is left out, as a key of a list's items. */
  readonly default?: JsonValue;
  /**
   * Value that a client with declared types writes for an unset field; an object that omits the field means the same.
   * Unset for fields that are omitted then, and for clients that write only what they were given.
   */
  readonly zero?: JsonValue;
  /** Whether a value is equivalent to omitting the field. Unset if none is. */
  readonly isZero?: (value: JsonValue) => boolean;
}

/** Returns the value that a field has in an object; undefined when it is absent. */
export function fieldValue(field: FieldType | undefined, written: JsonValue | undefined): JsonValue | undefined {
  if (field?.isZero === undefined) return written;
  if (written === undefined || written === null) return field.zero;
  return field.isZero(written) ? undefined : written;
}

/** A member of an object, with everything that its type declares about it. */
export interface Step {
  readonly name: string;
  /** Index of the name among those of the plan; -1 for a field that is present without being written. */
  readonly at: number;
  readonly element: PathElement;
  readonly type: Type;
  /** Same as in {@link FieldType}; unset for undeclared members. */
  readonly zero: JsonValue | undefined;
  readonly isZero: FieldType['isZero'];
  /** Whether the type declares a field of that name. */
  readonly declared: boolean;
  /** Every object inherits a member of that name, such as `constructor`; only an own one counts. */
  readonly inherited: boolean;
}

/** A plan for objects that have the same members in the same order: looked up and sorted once, not for each. */
export interface ObjectPlan {
  /** Names in the objects' order. */
  readonly names: readonly string[];
  /** A step for each name, and for each field that is present without being written, in the order of their elements. */
  readonly steps: readonly Step[];
  /** Members for the {@link names}, in their order. */
  readonly members: readonly Step[];
  /** Whether it has very many members, and is not kept. */
  readonly isLarge: boolean;
  /** Cache of recent levels of such objects. */
  readonly levels: LevelsOfPlace;
}

/** A list. */
export interface ListType {
  /** Owned as a whole, or item by item: identified by value, or by keys. */
  readonly relation: 'atomic' | 'set' | 'map';
  readonly items: Type;
  /** Value that null stands for among the items; unset if it stands for itself. */
  readonly zero?: JsonValue;
  /** Names of the fields that identify items; only of a `map`. */
  readonly keys: readonly string[];
  /** Cache of recent results for such lists. */
  readonly kept: KeptOfList;
}

/**
 * Returns which form of a type applies to a value: `map` before `scalar` before `list` if the value does not decide.
 */
export function formOf(type: Type, value: JsonValue | undefined): 'map' | 'scalar' | 'list' {
  if (value !== undefined && value !== null) {
    if (typeof value !== 'object') {
      if (type.scalar) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list) return 'list';
    } else if (type.map) return 'map';
  }
  return type.map ? 'map' : type.scalar ? 'scalar' : 'list';
}

const NO_FIELD_TYPES: ReadonlyMap<string, FieldType> = new Map();
const NOTHING_ALWAYS: readonly string[] = [];

/** A map whose keys are data. */
export const mapOf = (others: Type, atomic = false): MapType => ({
  atomic,
  fields: NO_FIELD_TYPES,
  others,
  always: NOTHING_ALWAYS,
  plans: [],
});

/** Type without a schema: any value, owned as one. */
export const ATOMIC_VALUE: Type = { scalar: 'untyped' };

type Mutable = { -readonly [K in keyof Type]: Type[K] };

/** Anything, owned as a whole. */
export const ATOMIC: Type = cyclic((self) => ({
  scalar: 'untyped',
  list: { relation: 'atomic', items: self, keys: [], kept: {} },
  map: mapOf(self, true),
}));

/** Any value, objects member by member and lists as a whole: the ownership of objects without a schema. */
export const DEDUCED: Type = cyclic((self) => ({
  scalar: 'untyped',
  list: { relation: 'atomic', items: ATOMIC, keys: [], kept: {} },
  map: mapOf(self),
}));

function cyclic(make: (self: Type) => Type): Type {
  const self: Mutable = {};
  return Object.assign(self, make(self));
}

/** Whether a map declares nothing about its content, so that its ownership cannot have changed. */
export const isUndeclared = (map: MapType): boolean =>
  map.fields.size === 0 && (map.others === DEDUCED || map.others?.scalar === 'untyped');
