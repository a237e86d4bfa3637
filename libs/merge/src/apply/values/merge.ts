import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { atOnce, STEP, type Steps } from '../steps.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { typeOfField } from './everything.js';
import { elementsOf, itemElement, sequenceInSteps } from './list-items.js';
import { AT_ONCE, type Wide, weightOf } from './pieces.js';

/**
 * An object with what another says of it. Nothing is taken away: null over an object or a list leaves it as it is.
 * The result shares with both; neither is changed.
 * @throws ItemError for lists whose items cannot be told apart
 */
export function mergeObjects(type: Type, live: JsonObject, said: JsonObject): JsonObject {
  return (merge(type, live, said) ?? {}) as JsonObject;
}

/** As {@link mergeObjects}, a part of the members or items at a time. */
export function* mergeInSteps(type: Type, live: JsonObject, said: JsonObject): Steps<JsonObject> {
  const wide: Wide = new Set();
  if (weightOf([live, said], wide, AT_ONCE) <= AT_ONCE) return mergeObjects(type, live, said);
  return ((yield* merging(type, live, said, wide)) ?? {}) as JsonObject;
}

/** As {@link merge}. */
function* merging(
  type: Type,
  live: JsonValue | undefined,
  said: JsonValue | undefined,
  wide: Wide,
): Steps<JsonValue | undefined> {
  if (weightOf([live, said], wide, FEW) > FEW) {
    if (type.map && !type.map.atomic && isObject(live) && isObject(said))
      return yield* mergingMaps(type.map, live, said, wide);
    if (type.list && type.list.relation !== 'atomic' && Array.isArray(live) && Array.isArray(said))
      return yield* mergingLists(type.list, live, said, wide);
  }
  return merge(type, live, said);
}

/** Values that are merged at once, and members or items of so many values each in one step. */
const FEW = 128;

/** As {@link mergeMaps}. */
function* mergingMaps(map: MapType, live: JsonObject, said: JsonObject, wide: Wide): Steps<JsonObject> {
  let merged: JsonObject | undefined;
  for (const [i, name] of Object.keys(said).entries()) {
    if (i % FEW === 0) yield STEP;
    const had = memberOf(live, name);
    const value = yield* merging(typeOfField(map, map.fields.get(name)), had, said[name], wide);
    if (value === had) continue;
    merged ??= { ...live };
    setMember(merged, name, value);
  }
  return merged ?? live;
}

function merge(type: Type, live: JsonValue | undefined, said: JsonValue | undefined): JsonValue | undefined {
  if (said === undefined) return live;
  if (live === undefined) return said;
  const form = formOf(type, said);
  if (form === 'map' && type.map && !type.map.atomic) {
    const [from, to] = [isObject(live) ? live : {}, isObject(said) ? said : {}];
    if (Object.keys(from).length > 0 || Object.keys(to).length > 0) return mergeMaps(type.map, from, to);
  } else if (form === 'list' && type.list && type.list.relation !== 'atomic') {
    const [from, to] = [Array.isArray(live) ? live : [], Array.isArray(said) ? said : []];
    if (from.length > 0 || to.length > 0) return atOnce(mergingLists(type.list, from, to, undefined));
  }
  return said;
}

function mergeMaps(map: MapType, live: JsonObject, said: JsonObject): JsonObject {
  let merged: JsonObject | undefined;
  for (const name of Object.keys(said)) {
    const type = typeOfField(map, map.fields.get(name));
    const had = memberOf(live, name);
    const value = merge(type, had, said[name]);
    if (value === had) continue;
    merged ??= { ...live };
    setMember(merged, name, value);
  }
  return merged ?? live;
}

/** Items of a list with what tells them apart. */
interface Places {
  readonly items: readonly JsonValue[];
  readonly texts: readonly string[];
}

/** @param inSteps whether it is to take steps */
function* placesOf(list: ListType, items: readonly JsonValue[], inSteps: boolean): Steps<Places> {
  const sequence = inSteps ? yield* sequenceInSteps(list, items) : undefined;
  const elements = sequence?.elements ?? elementsOf(list, items);
  if (inSteps) yield STEP;
  return { items, texts: items.map((item, i) => (elements?.[i] ?? itemElement(list, i, item)).text) };
}

/**
 * Joins two lists whose items are told apart. Items of both stand in the order of what is said; those that only the
 * live list has stay before the shared item that they stood before; new ones follow what they follow.
 * @param wide given where it is to take steps
 */
function* mergingLists(
  list: ListType,
  live: readonly JsonValue[],
  said: readonly JsonValue[],
  wide: Wide | undefined,
): Steps<JsonValue[]> {
  const inSteps = wide !== undefined;
  const [old, now] = [yield* placesOf(list, live, inSteps), yield* placesOf(list, said, inSteps)];
  if (inSteps) yield STEP;
  const places = new Map(old.texts.map((text, i) => [text, i]));
  if (inSteps) yield STEP;
  const isSaid = new Set(now.texts);
  if (inSteps) yield STEP;
  const shared = now.texts.filter((text) => places.has(text));
  const merged: JsonValue[] = [];
  let [i, j, nextShared] = [0, 0, 0];
  for (let steps = 0; i < old.texts.length || j < now.texts.length; steps++) {
    if (inSteps && steps % FEW === 0) yield STEP;
    const [mine, theirs] = [old.texts[i], now.texts[j]];
    if (mine !== undefined && mine !== theirs && !isSaid.has(mine)) merged.push(old.items[i++] as JsonValue);
    else if (
      mine !== undefined &&
      mine !== theirs &&
      (theirs === undefined || (nextShared < shared.length && shared[nextShared] !== mine))
    )
      i++; // comes where what is said has it
    else if (theirs !== undefined) {
      const [at, item] = [places.get(theirs), now.items[j++]];
      const had = at === undefined ? undefined : old.items[at];
      merged.push((wide ? yield* merging(list.items, had, item, wide) : merge(list.items, had, item)) ?? null);
      if (shared[nextShared] === theirs) nextShared++;
      if (mine === theirs) i++;
    }
  }
  return merged;
}
