import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type FieldSet, NO_FIELDS } from '../paths/field-set.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { elementOf, typeOfField } from './everything.js';
import { areFew, Pace, weightOf } from './few.js';
import { itemElement, sequenceInSteps, sequenceOf } from './list-items.js';

/**
 * Removes some fields and items, and everything below them, from an object. A value that is emptied by that becomes
 * null; so does an atomic value when a part of it is removed. The object is not changed, and the result shares parts
 * with it.
 */
export function removeFields(type: Type, object: JsonObject, fields: FieldSet): JsonObject {
  return fields.isEmpty ? object : ((remove(type, object, fields) ?? {}) as JsonObject);
}

function remove(type: Type, value: JsonValue, fields: FieldSet): JsonValue {
  const form = formOf(type, value);
  if (form === 'map' && type.map) return isObject(value) ? removeMembers(type.map, value, fields) : null;
  if (form === 'list' && type.list) return Array.isArray(value) ? removeItems(type.list, value, fields) : null;
  return value;
}

function removeItems(list: ListType, items: readonly JsonValue[], fields: FieldSet): JsonValue {
  if (list.relation === 'atomic') return null;
  const kept: JsonValue[] = [];
  const elements = sequenceOf(list, items)?.elements;
  items.forEach((item, i) => {
    const node = fields.at(elements?.[i] ?? itemElement(list, i, item));
    if (!node?.member) kept.push(node ? remove(list.items, item, node.below ?? NO_FIELDS) : item);
  });
  return kept.length > 0 ? kept : null;
}

/** Same as {@link removeFields}, in steps. */
export function* removeInSteps(type: Type, object: JsonObject, fields: FieldSet): Steps<JsonObject> {
  if (fields.isEmpty || areFew(object)) return removeFields(type, object, fields);
  return ((yield* walked(divided(type, object, fields))) ?? {}) as JsonObject;
}

/** Same as {@link remove}, in steps. */
function* divided(type: Type, value: JsonValue, fields: FieldSet): Walk<JsonValue> {
  if (areFew(value)) return remove(type, value, fields);
  const form = formOf(type, value);
  if (form === 'map' && type.map) return isObject(value) ? yield* dividedMembers(type.map, value, fields) : null;
  if (form === 'list' && type.list) return Array.isArray(value) ? yield* dividedItems(type.list, value, fields) : null;
  return value;
}

function* dividedItems(list: ListType, items: readonly JsonValue[], fields: FieldSet): Walk<JsonValue> {
  if (list.relation === 'atomic') return null;
  const elements = (yield* sequenceInSteps(list, items))?.elements;
  const kept: JsonValue[] = [];
  const pace = new Pace();
  for (const [i, item] of items.entries()) {
    const node = fields.at(elements?.[i] ?? itemElement(list, i, item));
    const weight = node ? weightOf(item) : 1;
    if (!node) kept.push(item);
    else if (!node.member) {
      const below = node.below ?? NO_FIELDS;
      kept.push(weight > PIECE ? yield* descend(divided(list.items, item, below)) : remove(list.items, item, below));
    }
    if (pace.isOver(weight)) yield STEP;
  }
  return kept.length > 0 ? kept : null;
}

function* dividedMembers(map: MapType, object: JsonObject, fields: FieldSet): Walk<JsonValue> {
  if (map.atomic) return null;
  const kept: JsonObject = {};
  const pace = new Pace();
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (pace.isOver()) yield STEP;
    if (value === undefined) continue;
    const node = fields.at(elementOf(map.fields.get(name), name));
    if (node?.member) continue;
    const left = node ? yield* dividedMember(map, name, value, node.below ?? NO_FIELDS) : value;
    setMember<JsonValue | undefined>(kept, name, left);
    if (node && pace.isOver(weightOf(value))) yield STEP;
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function* dividedMember(map: MapType, name: string, value: JsonValue, fields: FieldSet): Walk<JsonValue> {
  const type = typeOfField(map, map.fields.get(name));
  return areFew(value) ? remove(type, value, fields) : yield* descend(divided(type, value, fields));
}

function removeMembers(map: MapType, object: JsonObject, fields: FieldSet): JsonValue {
  if (map.atomic) return null;
  const kept: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    const field = map.fields.get(name);
    const node = fields.at(elementOf(field, name));
    if (node?.member) continue;
    const left = node ? remove(typeOfField(map, field), value, node.below ?? NO_FIELDS) : value;
    setMember<JsonValue | undefined>(kept, name, left);
  }
  return Object.keys(kept).length > 0 ? kept : null;
}
