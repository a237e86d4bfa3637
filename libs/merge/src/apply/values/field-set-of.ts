import type { JsonObject, JsonValue } from '@orch/machinery';
import { type FieldSet, LevelBuilder, NO_FIELDS } from '../paths/field-set.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { elementOf, typeOfField } from './everything.js';
import { itemElement } from './list-items.js';

/** What was found of a value: whether its own path is owned beside what is below it. */
interface Owned {
  readonly self: boolean;
  readonly below: FieldSet | undefined;
}

const LEAF: Owned = { self: true, below: undefined };
const NOTHING: Owned = { self: false, below: undefined };

/**
 * What somebody owns who says this much of an object: its leaves, the items of its lists, the keys of its maps. Fields
 * that merely lead there are not owned.
 * @throws ItemError for lists whose items cannot be told apart
 */
export const fieldSetOf = (type: Type, object: JsonObject): FieldSet => owned(type, object).below ?? NO_FIELDS;

function owned(type: Type, value: JsonValue): Owned {
  const form = formOf(type, value);
  if (form === 'map' && type.map) return ownedMap(type.map, value);
  if (form === 'list' && type.list) return ownedList(type.list, value);
  return LEAF;
}

function ownedList(list: ListType, value: JsonValue): Owned {
  if (list.relation === 'atomic') return LEAF;
  if (!Array.isArray(value)) return NOTHING;
  const level = new LevelBuilder();
  for (let i = 0; i < value.length; i++) {
    const item = value[i] ?? null;
    level.add(itemElement(list, i, item), true, owned(list.items, item).below);
  }
  return { self: false, below: level.build() };
}

function ownedMap(map: MapType, value: JsonValue): Owned {
  if (map.atomic) return LEAF;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NOTHING;
  const level = new LevelBuilder();
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const field = map.fields.get(name);
    const { self, below } = owned(typeOfField(map, field), member);
    const all = self || field === undefined || isNullOrEmpty(member);
    if (all || below) level.add(elementOf(field, name), all, below);
  }
  return { self: false, below: level.build() };
}

/** Of what holds nothing, the path itself is all there is to own. An empty list is nobody's. */
function isNullOrEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return false;
  return value === null || (!Array.isArray(value) && Object.keys(value).length === 0);
}
