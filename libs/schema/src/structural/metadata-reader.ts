import { type JsonObject, type JsonValue, memberOf, normalizeTime, setMember } from '@orch/machinery';
import { isObject, type Json } from './json.js';
import { metadataFault, STRUCTS } from './metadata-fault.js';
import type { UnknownFields } from './unknown-fields.js';

/** Members that are written with their zero value too. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  'v1.OwnerReference': ['apiVersion', 'kind', 'name', 'uid'],
};

/** Members whose zero value means something else than their absence. */
const KEPT_ZEROS: ReadonlySet<string> = new Set([
  'deletionGracePeriodSeconds',
  'controller',
  'blockOwnerDeletion',
  'fieldsV1',
]);

/** Thrown for an object whose type or metadata cannot be read; the message is the reference's. */
export class MalformedObject extends Error {}

/**
 * Metadata as every object has it: without members that nobody knows, and without those that say nothing.
 * @param dropMalformed members that cannot be read are dropped
 * @throws MalformedObject for metadata that cannot be read
 */
export function readMetadata(metadata: unknown, dropMalformed: boolean, unknown?: UnknownFields): JsonObject {
  const fault = metadataFault(metadata);
  if (fault === undefined) return readStruct(isObject(metadata) ? metadata : {}, 'v1.ObjectMeta', unknown);
  if (!dropMalformed || !isObject(metadata)) throw new MalformedObject(fault);
  const sound = Object.entries(metadata).filter(([name, value]) => metadataFault({ [name]: value }) === undefined);
  return readStruct(Object.fromEntries(sound), 'v1.ObjectMeta', unknown);
}

function readStruct(value: Json, type: string, unknown?: UnknownFields): JsonObject {
  const members = STRUCTS[type] ?? {};
  const made: JsonObject = {};
  for (const name of ALWAYS[type] ?? []) made[name] = '';
  for (const [name, member] of Object.entries(value)) {
    const memberType = memberOf(members, name);
    if (memberType === undefined) unknown?.tell(name);
    else {
      unknown?.enter(name);
      const read = readValue(member, memberType, unknown);
      unknown?.leave();
      if (read !== undefined && (KEPT_ZEROS.has(name) || !isZero(read))) made[name] = read;
    }
  }
  return made;
}

const isZero = (value: JsonValue): boolean =>
  value === '' || value === 0 || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** A value whose type is right; undefined for null. */
function readValue(value: unknown, type: string, unknown?: UnknownFields): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  if (type === 'time') return normalizeTime(String(value));
  if (type === 'map[string]string' && isObject(value)) return readMap(value);
  if (type.startsWith('[]') && Array.isArray(value)) return readList(value, type.slice(2), unknown);
  if (type in STRUCTS) return readStruct(isObject(value) ? value : {}, type, unknown);
  return value as JsonValue;
}

function readMap(map: Json): JsonObject {
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(map))
    setMember<JsonValue | undefined>(made, key, (value as JsonValue) ?? '');
  return made;
}

function readList(list: readonly unknown[], type: string, unknown?: UnknownFields): JsonValue[] {
  return list.map((item, at) => {
    unknown?.enter(at);
    const read = readValue(item, type, unknown) ?? (type in STRUCTS ? readStruct({}, type) : '');
    unknown?.leave();
    return read;
  });
}
