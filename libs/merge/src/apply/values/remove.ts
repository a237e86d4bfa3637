import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type FieldSet, NO_FIELDS } from '../paths/field-set.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { elementOf, typeOfField } from './everything.js';
import { elementsOf, itemElement } from './list-items.js';

/**
 * An object without some fields and items, and all below them. What is emptied by that is null; so is what is owned as
 * a whole when a part of it is to go. The object is not changed, and the result shares with it.
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
  const elements = elementsOf(list, items);
  items.forEach((item, i) => {
    const node = fields.at(elements?.[i] ?? itemElement(list, i, item));
    if (!node?.member) kept.push(node ? remove(list.items, item, node.below ?? NO_FIELDS) : item);
  });
  return kept.length > 0 ? kept : null;
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
