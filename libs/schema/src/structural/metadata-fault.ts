import { parseTime } from '@orch/machinery';
import { isInteger, isObject } from './json.js';

type Members = Readonly<Record<string, string>>;

/** Members of metadata and of what stands in it, by the names of their types in messages. */
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

/** Why a value cannot be read as metadata, in the words of the reference; undefined where it can. What else stands in it is passed over. */
export const metadataFault = (value: unknown): string | undefined => faultOf(value, 'v1.ObjectMeta', '', '');

/** @param struct where the value stands, and @param path on which way from the metadata */
function faultOf(value: unknown, type: string, struct: string, path: string): string | undefined {
  const found = jsonTypeOf(value);
  const no = (what: string, wanted: string) =>
    `json: cannot unmarshal ${what} into Go ${struct === '' ? 'value' : `struct field ${struct}.${path}`} of type ${wanted}`;
  const unless = (is: boolean): string | undefined => (is ? undefined : no(found, type));
  const among = (values: readonly unknown[], of: string) =>
    values.map((each) => faultOf(each, of, struct, path)).find((fault) => fault !== undefined);
  if (value === null || value === undefined || type === 'raw') return undefined;
  if (type === 'map[string]string') return isObject(value) ? among(Object.values(value), 'string') : unless(false);
  if (type.startsWith('[]')) return Array.isArray(value) ? among(value, type.slice(2)) : unless(false);
  if (STRUCTS[type]) return isObject(value) ? memberFault(value, type, path) : unless(false);
  if (type === 'time') return typeof value === 'string' ? timeFault(value) : no(found, 'string');
  if (type !== 'int64') return unless(type === 'bool' ? found === 'bool' : found === 'string');
  return typeof value === 'number' && !isInteger(value) ? no(`number ${value}`, type) : unless(found === 'number');
}

function memberFault(value: Readonly<Record<string, unknown>>, type: string, path: string): string | undefined {
  const members = STRUCTS[type] ?? {};
  const name = type.slice(type.indexOf('.') + 1);
  for (const [member, each] of Object.entries(value)) {
    if (!Object.hasOwn(members, member)) continue;
    const fault = faultOf(each, members[member] ?? '', name, path === '' ? member : `${path}.${member}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function timeFault(text: string): string | undefined {
  try {
    parseTime(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}
