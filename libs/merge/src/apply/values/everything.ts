import type { JsonObject, JsonValue } from '@orch/machinery';
import { FieldSet } from '../paths/field-set.js';
import { compareElements, fieldElement, type PathElement } from '../paths/path-element.js';
import { planFor, type Step, valueAt } from '../types/plan.js';
import { ATOMIC_VALUE, type FieldType, type ListType, type MapType, type Type } from '../types/type.js';
import { elementsOf } from './list-items.js';

/**
 * Every path below a value: what came to be, or went, with it. Undefined when there is none, as below scalars, what is
 * owned as a whole, what is empty, and a list whose items lack the keys to tell them apart.
 */
export function everythingBelow(type: Type, value: JsonValue): FieldSet | undefined {
  const trie = trieBelow(type, value);
  return trie && FieldSet.written(trie);
}

/** As it stands in `fieldsV1`: the place itself, and all below it. Made at once, for it will be written as it is. */
function trieBelow(type: Type, value: JsonValue): JsonObject | undefined {
  let trie: JsonObject | undefined;
  eachChild(type, value, (element, childType, child) => {
    trie ??= { '.': {} };
    trie[element.text] = (typeof child === 'object' ? trieBelow(childType, child) : undefined) ?? {};
  });
  return trie;
}

/** What is done with a child: its element, its type, and what it holds. */
type Visit = (element: PathElement, type: Type, value: JsonValue) => void;

/**
 * Goes through the places right below a value, in the order of their elements. There are none below what is owned as a
 * whole, and in a list whose items lack the keys to tell them apart.
 */
export function eachChild(type: Type, value: JsonValue, visit: Visit): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (type.list && value.length > 0) eachItem(type.list, value, visit);
  } else if (type.map && !type.map.atomic) eachMember(type.map, value, visit);
}

function eachItem(list: ListType, items: readonly JsonValue[], visit: Visit): void {
  const elements = list.relation === 'atomic' ? undefined : elementsOf(list, items);
  if (elements === undefined) return;
  let last: PathElement | undefined;
  for (const i of inElementOrder(elements)) {
    const element = elements[i] as PathElement;
    // Of several with the same keys the first stands for all.
    if (last === undefined || compareElements(last, element) !== 0) visit(element, list.items, items[i] ?? null);
    last = element;
  }
}

function eachMember(map: MapType, object: JsonObject, visit: Visit): void {
  const { steps } = planFor(map, object);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const value = valueAt(step, object);
    if (value !== undefined) visit(step.element, step.type, value);
  }
}

/** Places of the items in the order of their elements. */
function inElementOrder(elements: readonly PathElement[]): number[] {
  const places = elements.map((_, i) => i);
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1] as PathElement, elements[i] as PathElement) <= 0) continue;
    return places.sort((a, b) => compareElements(elements[a] as PathElement, elements[b] as PathElement));
  }
  return places;
}

/** The element of a field or key. */
export const elementOf = (field: FieldType | undefined, name: string): PathElement =>
  field?.element ?? fieldElement(name);

/** What a field or key of a map holds; a key that is not declared where nothing else may be is owned without a schema. */
export const typeOfField = (map: MapType, field: FieldType | undefined): Type =>
  field?.type ?? map.others ?? ATOMIC_VALUE;
