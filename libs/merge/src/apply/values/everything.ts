import type { JsonObject, JsonValue } from '@orch/machinery';
import { type FieldSet, LevelBuilder } from '../paths/field-set.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { type FieldType, fieldValue, formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { elementsOf } from './list-items.js';

/**
 * Every path below a value: what came to be, or went, with it. Undefined when there is none, as below scalars, what is
 * owned as a whole, what is empty, and a list whose items lack the keys to tell them apart.
 */
export function everythingBelow(type: Type, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return type.list && formOf(type, value) === 'list' ? inList(type.list, value) : undefined;
  return type.map ? inMap(type.map, value) : undefined;
}

function inList(list: ListType, items: readonly JsonValue[]): FieldSet | undefined {
  const elements = list.relation === 'atomic' ? undefined : elementsOf(list, items);
  if (elements === undefined) return undefined;
  const level = new LevelBuilder();
  for (let i = 0; i < items.length; i++) {
    level.add(elements[i] as PathElement, true, everythingBelow(list.items, items[i] ?? null));
  }
  return level.build();
}

function inMap(map: MapType, object: JsonObject): FieldSet | undefined {
  if (map.atomic) return undefined;
  const level = new LevelBuilder();
  for (const name of Object.keys(object)) {
    const field = map.fields.get(name);
    const value = fieldValue(field, object[name]);
    if (value === undefined) continue;
    level.add(elementOf(field, name), true, everythingBelow(typeOfField(map, field), value));
  }
  for (const name of map.always) {
    const field = map.fields.get(name);
    if (field?.zero === undefined || Object.hasOwn(object, name)) continue;
    level.add(field.element, true, everythingBelow(field.type, field.zero));
  }
  return level.build();
}

/** The element of a field or key. */
export const elementOf = (field: FieldType | undefined, name: string): PathElement =>
  field?.element ?? fieldElement(name);

/** What a field or key of a map holds; a key that is not declared where nothing else may be is owned without a schema. */
export const typeOfField = (map: MapType, field: FieldType | undefined): Type =>
  field?.type ?? map.others ?? UNDECLARED;

/** Fits what no schema speaks of: whatever it is, it is one value. */
const UNDECLARED: Type = { scalar: 'untyped' };
