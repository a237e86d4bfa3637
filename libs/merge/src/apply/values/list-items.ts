import { type JsonObject, type JsonValue, memberOf } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { indexElement, type KeyField, keyElement, type PathElement, valueElement } from '../paths/path-element.js';
import { fieldValue, type ListType } from '../types/type.js';

/** An item that has no place in a list whose items are told apart: null, of another form, or without its keys. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** How an item of a list is found. @throws ItemError */
export function itemElement(list: ListType, index: number, item: JsonValue): PathElement {
  if (list.relation === 'atomic') return indexElement(index);
  return list.relation === 'map' && list.keys.length > 0 ? byKeys(list, item) : byValue(item);
}

/** The elements of all items; undefined when one has none. */
export function elementsOf(list: ListType, items: readonly JsonValue[]): PathElement[] | undefined {
  try {
    return items.map((item, i) => itemElement(list, i, item));
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
}

function byValue(item: JsonValue): PathElement {
  if (item === null) throw new ItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Elements of items with one text as their only key: names, mostly, which come again and again. */
const named = new Map<string, Map<string, PathElement>>();
const KEPT_FIELDS = 500;
const KEPT_NAMES = 5_000;

function byKeys(list: ListType, item: JsonValue): PathElement {
  if (item === null) throw new ItemError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new ItemError('associative list with keys may not have non-map elements');
  const [first] = list.keys;
  if (list.keys.length > 1 || first === undefined) return keyElement(list.keys.map((key) => keyOf(list, item, key)));
  const key = keyOf(list, item, first);
  return typeof key.value === 'string' ? byName(key.name, key.value, key) : keyElement([key]);
}

function byName(field: string, name: string, key: KeyField): PathElement {
  let kept = named.get(field);
  if (kept === undefined) {
    if (named.size >= KEPT_FIELDS) named.clear();
    kept = new Map();
    named.set(field, kept);
  }
  const known = kept.get(name);
  if (known) return known;
  const made = keyElement([key]);
  if (kept.size >= KEPT_NAMES) kept.clear();
  kept.set(name, made);
  return made;
}

function keyOf(list: ListType, item: JsonObject, name: string): KeyField {
  const field = list.items.map?.fields.get(name);
  const value = fieldValue(field, memberOf(item, name));
  if (value !== undefined) return { name, value };
  const byDefault = field?.default;
  if (byDefault !== undefined) return { name, value: byDefault };
  throw new ItemError(
    `associative list with keys has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`,
  );
}
