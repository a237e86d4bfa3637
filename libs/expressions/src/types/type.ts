/** A type of the checker (cel-go, checker/types.go). */
export type CelType =
  | { readonly kind: 'dyn' | 'any' | 'error' | 'null' | 'timestamp' | 'duration' }
  | { readonly kind: 'primitive'; readonly name: PrimitiveName }
  | { readonly kind: 'wrapper'; readonly name: PrimitiveName }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'type'; readonly of?: CelType }
  | { readonly kind: 'abstract'; readonly name: string; readonly parameters: readonly CelType[] };

/** Types without parts. */
export type PrimitiveName = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes';

/** Type of values that are unknown before a run. */
export const DYN: CelType = { kind: 'dyn' };
/** A message of any type. */
export const ANY: CelType = { kind: 'any' };
/** Type of nodes with a reported fault. */
export const ERROR: CelType = { kind: 'error' };
/** Type of null. */
export const NULL: CelType = { kind: 'null' };
/** Points in time, to the nanosecond. */
export const TIMESTAMP: CelType = { kind: 'timestamp' };
/** Durations, to the nanosecond. */
export const DURATION: CelType = { kind: 'duration' };
/** Booleans. */
export const BOOL: CelType = { kind: 'primitive', name: 'bool' };
/** Integers of 64 bits. */
export const INT: CelType = { kind: 'primitive', name: 'int' };
/** Unsigned integers of 64 bits. */
export const UINT: CelType = { kind: 'primitive', name: 'uint' };
/** Numbers of IEEE 754. */
export const DOUBLE: CelType = { kind: 'primitive', name: 'double' };
/** Texts. */
export const STRING: CelType = { kind: 'primitive', name: 'string' };
/** Bytes. */
export const BYTES: CelType = { kind: 'primitive', name: 'bytes' };

/** Lists of elements of one type. */
export const listOf = (element: CelType): CelType => ({ kind: 'list', element });
/** Maps from keys of one type to values of another. */
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
/** Named object types. */
export const objectOf = (name: string): CelType => ({ kind: 'object', name });
/** A type parameter, by its name. */
export const paramOf = (name: string): CelType => ({ kind: 'param', name });
/** A value of a type, or null. */
export const wrapperOf = (name: PrimitiveName): CelType => ({ kind: 'wrapper', name });
/** Name of the type of optional values. */
export const OPTIONAL = 'optional_type';
/** An optional value of a type. */
export const optionalOf = (type: CelType): CelType => ({ kind: 'abstract', name: OPTIONAL, parameters: [type] });
/** Returns the value type of an optional; undefined for other types. */
export const valueOfOptional = (type: CelType): CelType | undefined =>
  type.kind === 'abstract' && type.name === OPTIONAL ? type.parameters[0] : undefined;
/** The type of a type; of any one without `of`. */
export const typeOf = (of?: CelType): CelType => (of === undefined ? { kind: 'type' } : { kind: 'type', of });

/** Whether values of the type may be of any type. */
export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'any';
/** Whether a type is dynamic, or unknown after a reported fault. */
export const isDynOrError = (type: CelType): boolean => isDyn(type) || type.kind === 'error';

/** Whether types are identical, structurally and by name. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind === 'list') return b.kind === 'list' && sameType(a.element, b.element);
  if (a.kind === 'map') return b.kind === 'map' && sameType(a.key, b.key) && sameType(a.value, b.value);
  if (a.kind === 'type') return b.kind === 'type' && sameOptional(a.of, b.of);
  if (a.kind === 'abstract') return b.kind === 'abstract' && a.name === b.name && sameTypes(a.parameters, b.parameters);
  if ('name' in a) return a.kind === b.kind && 'name' in b && a.name === b.name;
  return a.kind === b.kind;
}

const sameOptional = (a?: CelType, b?: CelType): boolean => (a && b ? sameType(a, b) : a === b);
const sameTypes = (a: readonly CelType[], b: readonly CelType[]): boolean =>
  a.length === b.length && a.every((type, i) => sameType(type, b[i] as CelType));

/** Formats the type for messages. */
export function formatType(type: CelType | undefined): string {
  if (type === undefined) return '<nil>';
  switch (type.kind) {
    case 'error':
      return '!error!';
    case 'wrapper':
      return `wrapper(${type.name})`;
    case 'list':
      return `list(${formatType(type.element)})`;
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case 'type':
      return type.of === undefined ? 'type' : `type(${formatType(type.of)})`;
    case 'abstract':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(formatType).join(', ')})`;
    default:
      return 'name' in type ? type.name : type.kind;
  }
}

/** Formats the parameters of a call for messages: `string.(int, int)` if the first is the target. */
export function formatCall(types: readonly (CelType | undefined)[], method: boolean): string {
  const shown = types.map(formatType);
  return method ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
}

const PROTO_NAMES: Readonly<Record<PrimitiveName, string>> = {
  bool: 'BOOL',
  int: 'INT64',
  uint: 'UINT64',
  double: 'DOUBLE',
  string: 'STRING',
  bytes: 'BYTES',
};

/** Formats the type as the reference does in the one message that prints its protobuf form. */
export function formatProto(type: CelType | undefined): string {
  if (type === undefined) return '<nil>';
  switch (type.kind) {
    case 'primitive':
    case 'wrapper':
      return `${type.kind}:${PROTO_NAMES[type.name]}`;
    case 'any':
    case 'timestamp':
    case 'duration':
      return `well_known:${type.kind.toUpperCase()}`;
    case 'null':
      return 'null:NULL_VALUE';
    case 'list':
      return `list_type:{elem_type:{${formatProto(type.element)}}}`;
    case 'map':
      return `map_type:{key_type:{${formatProto(type.key)}} value_type:{${formatProto(type.value)}}}`;
    case 'type':
      return `type:{${type.of === undefined ? '' : formatProto(type.of)}}`;
    case 'object':
      return `message_type:"${type.name}"`;
    case 'param':
      return `type_param:"${type.name}"`;
    case 'abstract':
      return `abstract_type:{name:"${type.name}"}`;
    default:
      return `${type.kind}:{}`;
  }
}
