import { type JsonObject, type JsonValue, memberOf } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { LevelsOfPlace } from '../paths/known-levels.js';
import { indexElement, type KeyField, keyElement, type PathElement, valueElement } from '../paths/path-element.js';
import { PIECE } from '../piece.js';
import { STEP, type Steps } from '../steps.js';
import { fieldValue, type ListType } from '../types/type.js';
import { Sequence } from './sequence.js';

/** Thrown for an item that cannot be identified in its list: null, of another form, or without its keys. */
export class ItemError extends Error {
  override readonly name = 'ItemError';
}

/** Returns the element of an item of a list. @throws ItemError */
export function itemElement(list: ListType, index: number, item: JsonValue): PathElement {
  if (list.relation === 'atomic') return indexElement(index);
  return list.relation === 'map' && list.keys.length > 0 ? byKeys(list, item) : byValue(item);
}

/** Limits of the cached sequences of a list: number and length. */
const KEPT_SEQUENCES = 4;
const LONGEST_KEPT = 64;

/** Identifies the items of a list; undefined when one of them cannot be. Sequences with the same keys are cached. */
export function sequenceOf(list: ListType, items: readonly JsonValue[]): Sequence | undefined {
  if (list.relation === 'atomic') return sequenceMade(list, items);
  if (items.length > LONGEST_KEPT) return longSequence(list, items);
  const kept = list.kept.sequences ?? [];
  const known = kept.find(({ elements }) => areOf(list, items, elements));
  if (known) return known;
  const sequence = sequenceMade(list, items);
  const short = sequence?.elements.every(({ text }) => text.length <= LONGEST);
  if (short) list.kept.sequences = [sequence as Sequence, ...kept.slice(0, KEPT_SEQUENCES - 1)];
  return sequence;
}

/**
 * The last sequences of long lists, until garbage collection: one write needs the live and applied ones several times.
 */
let long: readonly { readonly list: ListType; readonly sequence: WeakRef<Sequence> }[] = [];
const KEPT_LONG = 3;

function longSequence(list: ListType, items: readonly JsonValue[]): Sequence | undefined {
  return knownLong(list, items) ?? keptLong(list, sequenceMade(list, items));
}

function knownLong(list: ListType, items: readonly JsonValue[]): Sequence | undefined {
  for (const kept of long) {
    const known = kept.list === list ? kept.sequence.deref() : undefined;
    if (known && areOf(list, items, known.elements)) return known;
  }
  return undefined;
}

function keptLong(list: ListType, sequence: Sequence | undefined): Sequence | undefined {
  if (sequence) long = [{ list, sequence: new WeakRef(sequence) }, ...long.slice(0, KEPT_LONG - 1)];
  return sequence;
}

/** Same as {@link sequenceOf}, with the order of the items; those of long lists are identified in steps. */
export function* sequenceInSteps(list: ListType, items: readonly JsonValue[]): Steps<Sequence | undefined> {
  if (items.length <= PIECE) return sequenceOf(list, items);
  if (list.relation === 'atomic') return yield* madeInSteps(list, items);
  const sequence = knownLong(list, items) ?? keptLong(list, yield* madeInSteps(list, items));
  yield STEP;
  return sequence && (yield* sequence.sort());
}

function* madeInSteps(list: ListType, items: readonly JsonValue[]): Steps<Sequence | undefined> {
  const elements: PathElement[] = [];
  try {
    for (const item of items) {
      elements.push(itemElement(list, elements.length, item));
      if (elements.length % PIECE === 0) yield STEP;
    }
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
  return new Sequence(elements);
}

function sequenceMade(list: ListType, items: readonly JsonValue[]): Sequence | undefined {
  try {
    return new Sequence(items.map((item, i) => itemElement(list, i, item)));
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
}

/** Whether items have these elements, by a quick check. */
function areOf({ keys }: ListType, items: readonly JsonValue[], elements: readonly PathElement[]): boolean {
  if (items.length !== elements.length) return false;
  for (let i = 0; i < items.length; i++) {
    const [item, element] = [items[i] as JsonValue, elements[i] as PathElement];
    if (
      keys.length === 0
        ? typeof item !== 'string' || item !== element.value
        : !isObject(item) || !isOf(item, keys.length, element.keys)
    )
      return false;
  }
  return true;
}

/** Whether an item has these keys. An empty one may be a default for an omitted one. */
function isOf(item: JsonObject, count: number, keys: readonly KeyField[]): boolean {
  if (keys.length !== count) return false;
  for (let i = 0; i < count; i++) {
    const { name, value } = keys[i] as KeyField;
    const given = item[name];
    if ((typeof given !== 'string' && typeof given !== 'number') || !given || given !== value) return false;
  }
  return true;
}

function byValue(item: JsonValue): PathElement {
  if (item === null) throw new ItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ItemError('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new ItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function byKeys(list: ListType, item: JsonValue): PathElement {
  if (item === null) throw new ItemError('associative list with keys may not have a null element');
  if (!isObject(item)) throw new ItemError('associative list with keys may not have non-map elements');
  const [name = ''] = list.keys;
  const only = list.keys.length === 1 && name !== '__proto__' ? item[name] : undefined;
  if (typeof only === 'string' && isName(only)) return namedElement(list, name, only);
  const keys = list.keys.map((name) => ({ name, value: keyOf(list, item, name) }));
  return shortElement(list, keys) ?? keyElement(keys);
}

/** Cache of recent levels of a list's items. */
export function levelsOf({ kept }: ListType): LevelsOfPlace {
  kept.levels ??= new LevelsOfPlace();
  return kept.levels;
}

const KEPT = 2_000;
const LONGEST = 100;
/** Prefix of the texts under which elements of other keys are cached, beside the names. */
const MARK = '\0';

/** Whether an element is cached by the very text of its key. */
const isName = (key: string): boolean => key !== '' && key.length <= LONGEST && !key.startsWith(MARK);

/** The element of an item with one key that is a text: the usual case. */
function namedElement(list: ListType, name: string, value: string): PathElement {
  const elements = elementsKept(list);
  let element = elements.get(value);
  if (element === undefined) {
    element = keyElement([{ name, value }]);
    elements.set(value, element);
  }
  return element;
}

function elementsKept({ kept }: ListType): Map<string, PathElement> {
  if (kept.elements === undefined || kept.elements.size >= KEPT) kept.elements = new Map();
  return kept.elements;
}

/** The element of an item with short keys; undefined for other keys, which are not cached. */
function shortElement(list: ListType, keys: readonly KeyField[]): PathElement | undefined {
  let text = '';
  for (const { value } of keys) {
    if (typeof value === 'string') text += `${MARK}${value.length}:${value}`;
    else if (typeof value === 'number') text += `${MARK}${MARK}${value};`;
    else return undefined;
  }
  if (text.length > LONGEST) return undefined;
  const elements = elementsKept(list);
  let element = elements.get(text);
  if (element === undefined) {
    element = keyElement(keys);
    elements.set(text, element);
  }
  return element;
}

function keyOf(list: ListType, item: JsonObject, name: string): JsonValue {
  const field = list.items.map?.fields.get(name);
  const value = fieldValue(field, memberOf(item, name));
  if (value !== undefined) return value;
  if (field?.default !== undefined) return field.default;
  throw new ItemError(
    `associative list with keys has an element that omits key field ${JSON.stringify(name)} (and doesn't have default value)`,
  );
}
