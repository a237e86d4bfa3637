import type { CelType } from './type.js';

/** A form of a function. */
export interface Overload {
  /** Unique; the costs of calls refer to it. */
  readonly id: string;
  /** Parameters; of a method the first is the target. */
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Names of the type parameters among the types. */
  readonly typeParams: readonly string[];
  /** Called as `target.name(…)`. */
  readonly method: boolean;
}

/** Declarations beside variables that expressions may use: functions and types. */
export interface Declarations {
  /** Forms of a function by its name, in the order in which they are tried. */
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Named types of expressions, by their names: `int`, `google.protobuf.Duration`. */
  readonly typeNames: ReadonlyMap<string, CelType>;
}

/** Names that expressions may use in one place: variables, and fields of the objects that they hold. */
export interface Scope {
  /** Types of the variables by name. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** Returns the type of a field of an object type; undefined if it has none, or there is no such type. */
  fieldType(objectName: string, field: string): CelType | undefined;
  /** Whether there is an object type of a name. */
  hasType(objectName: string): boolean;
}

/** Type parameters that occur in types, in order. */
function typeParamsOf(types: readonly CelType[], into: Set<string> = new Set()): string[] {
  for (const type of types) {
    if (type.kind === 'param') into.add(type.name);
    else if (type.kind === 'list') typeParamsOf([type.element], into);
    else if (type.kind === 'map') typeParamsOf([type.key, type.value], into);
    else if (type.kind === 'abstract') typeParamsOf(type.parameters, into);
    else if (type.kind === 'type' && type.of) typeParamsOf([type.of], into);
  }
  return [...into];
}

/** A form that is called as `name(…)`. */
export const overload = (id: string, params: readonly CelType[], result: CelType): Overload => ({
  id,
  params,
  result,
  typeParams: typeParamsOf([...params, result]),
  method: false,
});

/** A form that is called as `target.name(…)`; the target is the first parameter. */
export const method = (id: string, params: readonly CelType[], result: CelType): Overload => ({
  ...overload(id, params, result),
  method: true,
});
