import { memberOf, normalizeTime } from '@orch/machinery';
import type { Effort } from './effort.js';
import { isContainer, isInteger, isObject, type Json } from './json.js';
import type { Steps } from './steps.js';

type Members = Readonly<Record<string, string>>;

/** Members of metadata and of structs in it, by the names of their types in messages. */
export const STRUCTS: Readonly<Record<string, Members>> = {
  'v1.ObjectMeta': {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'types.UID',
    resourceVersion: 'string',
    generation: 'int64',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'int64',
    labels: 'map[string]string',
    annotations: 'map[string]string',
    ownerReferences: '[]v1.OwnerReference',
    finalizers: '[]string',
    managedFields: '[]v1.ManagedFieldsEntry',
  },
  'v1.OwnerReference': {
    apiVersion: 'string',
    kind: 'string',
    name: 'string',
    uid: 'types.UID',
    controller: 'bool',
    blockOwnerDeletion: 'bool',
  },
  'v1.ManagedFieldsEntry': {
    manager: 'string',
    operation: 'v1.ManagedFieldsOperationType',
    apiVersion: 'string',
    time: 'time',
    fieldsType: 'string',
    fieldsV1: 'raw',
    subresource: 'string',
  },
};

/** Location of a value: its struct, and its path from the metadata. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

/**
 * Returns why a value cannot be decoded as metadata, in the reference's wording; undefined if it can. Unknown members
 * are ignored.
 */
export const metadataFault = (value: unknown, effort: Effort): Steps<string | undefined> =>
  faultOf(value, 'v1.ObjectMeta', { struct: '', path: '' }, effort);

function* faultOf(value: unknown, type: string, place: Place, effort: Effort): Steps<string | undefined> {
  if (effort.endsStep(1)) yield;
  if (isObject(value)) {
    if (type === 'map[string]string') return yield* faultInMap(value, place, effort);
    if (STRUCTS[type]) return yield* memberFault(value, type, place, effort);
  }
  if (Array.isArray(value) && type.startsWith('[]')) return yield* faultAmong(value, type.slice(2), place, effort);
  return typeFault(value, type, place);
}

function* faultInMap(map: Json, place: Place, effort: Effort): Steps<string | undefined> {
  for (const name of Object.keys(map)) {
    if (effort.endsStep(1)) yield;
    if (typeof map[name] === 'string') continue;
    const fault = typeFault(map[name], 'string', place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns the first error in values of one type. */
function* faultAmong(
  values: readonly unknown[],
  type: string,
  place: Place,
  effort: Effort,
): Steps<string | undefined> {
  for (const value of values) {
    if (effort.endsStep(1)) yield;
    const fault = isContainer(value) ? yield* faultOf(value, type, place, effort) : typeFault(value, type, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function* memberFault(value: Json, type: string, { path }: Place, effort: Effort): Steps<string | undefined> {
  const members = STRUCTS[type] ?? {};
  const struct = type.slice(type.indexOf('.') + 1);
  for (const name of Object.keys(value)) {
    const known = memberOf(members, name);
    if (known === undefined) continue;
    const member = value[name];
    if (typeof member === 'string' && isText(known)) {
      effort.compare(1);
      continue;
    }
    const fault = yield* faultOf(member, known, { struct, path: path === '' ? name : `${path}.${name}` }, effort);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns why a value is not of a type, regardless of its content. */
function typeFault(value: unknown, type: string, { struct, path }: Place): string | undefined {
  if (value === null || value === undefined || type === 'raw') return undefined;
  const found = jsonTypeOf(value);
  const no = (what: string, wanted: string) =>
    `json: cannot unmarshal ${what} into Go ${struct === '' ? 'value' : `struct field ${struct}.${path}`} of type ${wanted}`;
  if (type === 'time') return typeof value === 'string' ? timeFault(value) : no(found, 'string');
  if (type === 'int64') {
    if (typeof value === 'number' && !isInteger(value)) return no(`number ${value}`, type);
    return found === 'number' ? undefined : no(found, type);
  }
  return found === (type === 'bool' ? 'bool' : isStructured(type) ? '' : 'string') ? undefined : no(found, type);
}

/** Whether any text is of a type. */
const isText = (type: string): boolean => type === 'string' || type.startsWith('types.') || type === OPERATION;
const OPERATION = 'v1.ManagedFieldsOperationType';

const isStructured = (type: string): boolean =>
  type.startsWith('[]') || type === 'map[string]string' || type in STRUCTS;

function timeFault(text: string): string | undefined {
  try {
    normalizeTime(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}
