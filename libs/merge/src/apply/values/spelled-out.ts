import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { cloneJson } from '../../json-values.js';
import { fieldValue, formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { typeOfField } from './everything.js';

/**
 * An object as a client with declared types writes it: with the fields that are always written, without those that are
 * empty. The object itself where the type knows no such fields. Nothing is changed; the result shares with the object.
 */
export function spelledOut(type: Type, object: JsonObject): JsonObject {
  return spell(type, object) as JsonObject;
}

function spell(type: Type, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = formOf(type, value) === 'list' ? type.list : undefined;
    return list && isDeclared(list) ? spellItems(list, value) : value;
  }
  return type.map ? spellMembers(type.map, value) : value;
}

/** Whether zeros are known of what a list or map holds. */
const isDeclared = ({ zero }: ListType | MapType): boolean => zero !== undefined;

function spellItems(list: ListType, items: readonly JsonValue[]): JsonValue[] {
  return items.map((item) => spell(list.items, item ?? list.zero ?? null));
}

function spellMembers(map: MapType, object: JsonObject): JsonObject {
  if (map.fields.size === 0 && (!isDeclared(map) || holdsScalars(object))) return object;
  const spelled: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = spelledMember(map, name, object[name]);
    if (value !== undefined) setMember<JsonValue | undefined>(spelled, name, value);
  }
  for (const name of map.always) if (!Object.hasOwn(spelled, name)) spelled[name] = zeroOf(map, name);
  return spelled;
}

function spelledMember(map: MapType, name: string, written: JsonValue | undefined): JsonValue | undefined {
  const field = map.fields.get(name);
  const value = field ? fieldValue(field, written) : (written ?? map.zero ?? written);
  return value === undefined ? undefined : spell(typeOfField(map, field), value);
}

/** The zero of a field, for this object alone: who is given the object fills in what is missing. */
function zeroOf(map: MapType, name: string): JsonValue | undefined {
  const zero = map.fields.get(name)?.zero;
  return typeof zero === 'object' ? cloneJson(zero) : zero;
}

/** Whether all members are scalars, which are spelled as they are: so are mostly those of maps whose keys are data. */
function holdsScalars(object: JsonObject): boolean {
  for (const name in object) {
    const value = object[name];
    if (value === undefined || typeof value === 'object') return false;
  }
  return true;
}
