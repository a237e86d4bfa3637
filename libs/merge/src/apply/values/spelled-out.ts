import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { cloneJson, isObject } from '../../json-values.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { fieldValue, formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { typeOfField } from './everything.js';
import { areFew, eachInSteps, Pace, weightOf } from './few.js';

/**
 * Returns an object as a client with declared types writes it: with the fields that are always written, without those
 * that are empty. The object itself if the type has no such fields. Nothing is changed; the result shares parts with
 * the object.
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

/** Whether zeros are declared for the content of a list or map. */
const isDeclared = ({ zero }: ListType | MapType): boolean => zero !== undefined;

function spellItems(list: ListType, items: readonly JsonValue[]): JsonValue[] {
  return items.map((item) => spell(list.items, item ?? list.zero ?? null));
}

function spellMembers(map: MapType, object: JsonObject): JsonObject {
  if (knowsNothing(map, object)) return object;
  const spelled: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = meantBy(map, name, object[name]);
    if (value !== undefined) setMember(spelled, name, spell(typeOfField(map, map.fields.get(name)), value));
  }
  addZeros(map, spelled);
  return spelled;
}

/** Whether an object is spelled out already. */
const knowsNothing = (map: MapType, object: JsonObject): boolean =>
  map.fields.size === 0 && (!isDeclared(map) || holdsScalars(object));

/** Effective value of a member that was written in this way; undefined for nothing. */
function meantBy(map: MapType, name: string, written: JsonValue | undefined): JsonValue | undefined {
  const field = map.fields.get(name);
  return field ? fieldValue(field, written) : (written ?? map.zero ?? written);
}

function addZeros(map: MapType, spelled: JsonObject): void {
  for (const name of map.always) if (!Object.hasOwn(spelled, name)) spelled[name] = zeroOf(map, name);
}

/** Same as {@link spelledOut}, in steps. */
export function* spelledInSteps(type: Type, object: JsonObject): Steps<JsonObject> {
  return areFew(object) ? spelledOut(type, object) : ((yield* walked(divided(type, object))) as JsonObject);
}

/** Same as {@link spell}, in steps. */
function* divided(type: Type, value: JsonValue): Walk<JsonValue> {
  if (areFew(value)) return spell(type, value);
  if (isObject(value)) return type.map ? yield* dividedMembers(type.map, value) : value;
  const list = formOf(type, value) === 'list' ? type.list : undefined;
  return list && isDeclared(list) && Array.isArray(value) ? yield* dividedItems(list, value) : value;
}

function* dividedItems(list: ListType, items: readonly JsonValue[]): Walk<JsonValue[]> {
  const meant = (item: JsonValue) => item ?? list.zero ?? null;
  return yield* eachInSteps(items, {
    weigh: weightOf,
    atOnce: (item) => spell(list.items, meant(item)),
    inSteps: (item) => divided(list.items, meant(item)),
  });
}

function* dividedMembers(map: MapType, object: JsonObject): Walk<JsonObject> {
  yield STEP;
  if (knowsNothing(map, object)) return object;
  const spelled: JsonObject = {};
  const pace = new Pace();
  yield STEP;
  for (const name of Object.keys(object)) {
    const value = meantBy(map, name, object[name]);
    const weight = weightOf(value);
    if (pace.isOver(weight)) yield STEP;
    if (value === undefined) continue;
    const type = typeOfField(map, map.fields.get(name));
    setMember(spelled, name, weight > PIECE ? yield* descend(divided(type, value)) : spell(type, value));
  }
  addZeros(map, spelled);
  return spelled;
}

/** Copies the zero of a field, as the receiver of the object may fill in members. */
function zeroOf(map: MapType, name: string): JsonValue | undefined {
  const zero = map.fields.get(name)?.zero;
  return typeof zero === 'object' ? cloneJson(zero) : zero;
}

/** Whether all members are scalars, which need no spelling out: the usual case for maps with free keys. */
function holdsScalars(object: JsonObject): boolean {
  for (const name in object) {
    const value = object[name];
    if (value === undefined || typeof value === 'object') return false;
  }
  return true;
}
