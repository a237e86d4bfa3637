import { type JsonObject, type JsonValue, memberOf, normalizeTime, setMember } from '@orch/machinery';
import type { Effort } from './effort.js';
import { isContainer, isObject, type Json } from './json.js';
import { metadataFault, STRUCTS } from './metadata-fault.js';
import type { Steps } from './steps.js';
import type { UnknownFields } from './unknown-fields.js';

/** Members that are written even with their zero value. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  'v1.OwnerReference': ['apiVersion', 'kind', 'name', 'uid'],
};

/** Members whose zero value differs in meaning from their absence. */
const KEPT_ZEROS: ReadonlySet<string> = new Set([
  'deletionGracePeriodSeconds',
  'controller',
  'blockOwnerDeletion',
  'fieldsV1',
]);

/** Thrown for an object whose type or metadata cannot be decoded; the message is the reference's. */
export class MalformedObject extends Error {}

/**
 * Reads metadata as every object has it, in steps: without unknown members, and without empty ones.
 * @param dropMalformed drops members that cannot be decoded
 * @throws MalformedObject for metadata that cannot be decoded
 */
export function* readMetadata(
  metadata: unknown,
  dropMalformed: boolean,
  effort: Effort,
  unknown?: UnknownFields,
): Steps<JsonObject> {
  const reader = new MetadataReader(effort, unknown);
  const fault = yield* metadataFault(metadata, effort);
  if (fault === undefined) return yield* reader.struct(isObject(metadata) ? metadata : {}, 'v1.ObjectMeta');
  if (!dropMalformed || !isObject(metadata)) throw new MalformedObject(fault);
  const sound: Json = {};
  for (const name of Object.keys(metadata)) {
    const member = metadata[name];
    if ((yield* metadataFault({ [name]: member }, effort)) === undefined) setMember(sound, name, member);
  }
  return yield* reader.struct(sound, 'v1.ObjectMeta');
}

/** Decodes values of their types. */
class MetadataReader {
  constructor(
    private readonly effort: Effort,
    private readonly unknown: UnknownFields | undefined,
  ) {}

  *struct(value: Json, type: string): Steps<JsonObject> {
    const members = STRUCTS[type] ?? {};
    const made: JsonObject = {};
    for (const name of ALWAYS[type] ?? []) made[name] = '';
    for (const name of Object.keys(value)) {
      if (this.effort.endsStep(1)) yield;
      const memberType = memberOf(members, name);
      if (memberType === undefined) {
        this.unknown?.report(name);
        continue;
      }
      const read = isContainer(value[name])
        ? yield* this.#within(name, value[name], memberType)
        : scalar(value[name], memberType);
      if (read !== undefined && (KEPT_ZEROS.has(name) || !isZero(read, memberType))) made[name] = read;
    }
    return made;
  }

  *#within(name: string | number, value: object, type: string): Steps<JsonValue | undefined> {
    this.unknown?.enter(name);
    const read = yield* this.#container(value, type);
    this.unknown?.leave();
    return read;
  }

  *#container(value: object, type: string): Steps<JsonValue | undefined> {
    if (type === 'time') return normalizeTime(String(value));
    if (type === 'map[string]string' && isObject(value)) return yield* this.#map(value);
    if (type.startsWith('[]') && Array.isArray(value)) return yield* this.#list(value, type.slice(2));
    if (type in STRUCTS) return yield* this.struct(isObject(value) ? value : {}, type);
    return value as JsonValue;
  }

  /** Undefined for one without members. The names are listed once: of very many that takes a tenth of a second. */
  *#map(map: Json): Steps<JsonObject | undefined> {
    const keys = Object.keys(map);
    if (keys.length === 0) return undefined;
    const made: JsonObject = {};
    for (const key of keys) {
      if (this.effort.endsStep(1)) yield;
      setMember<JsonValue | undefined>(made, key, (map[key] as JsonValue) ?? '');
    }
    return made;
  }

  *#list(list: readonly unknown[], type: string): Steps<JsonValue[]> {
    const made: JsonValue[] = [];
    for (const [at, item] of list.entries()) {
      if (this.effort.endsStep(1)) yield;
      const read = isContainer(item) ? yield* this.#within(at, item, type) : scalar(item, type);
      made.push(read ?? (type in STRUCTS ? yield* this.struct({}, type) : ''));
    }
    return made;
  }
}

/** Undefined for null. */
function scalar(value: unknown, type: string): JsonValue | undefined {
  if (value === null || value === undefined) return undefined;
  return type === 'time' ? normalizeTime(String(value)) : (value as JsonValue);
}

/** Whether a decoded value is empty. */
const isZero = (value: JsonValue, type: string): boolean =>
  value === '' || value === 0 || (Array.isArray(value) ? value.length === 0 : type in STRUCTS && isEmpty(value));

const isEmpty = (value: JsonValue): boolean => isObject(value) && Object.keys(value).length === 0;
