import { type JsonObject, type JsonValue, memberOf, setMember } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { typeOfField } from './everything.js';
import { areFew, eachInSteps, Pace, weightOf } from './few.js';
import { itemElement, sequenceInSteps, sequenceOf } from './list-items.js';

/**
 * Merges an applied configuration into an object. Nothing is removed: null over an object or a list leaves it as it is.
 * The result shares parts with both; neither is changed.
 * @throws ItemError for lists whose items cannot be identified
 */
export function mergeObjects(type: Type, live: JsonObject, applied: JsonObject): JsonObject {
  return (merge(type, live, applied) ?? {}) as JsonObject;
}

function merge(type: Type, live: JsonValue | undefined, applied: JsonValue | undefined): JsonValue | undefined {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const form = formOf(type, applied);
  if (form === 'map' && type.map && !type.map.atomic) {
    const [from, to] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
    if (Object.keys(from).length > 0 || Object.keys(to).length > 0) return mergeMaps(type.map, from, to);
  } else if (form === 'list' && type.list && type.list.relation !== 'atomic') {
    const [from, to] = [Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : []];
    if (from.length > 0 || to.length > 0) return mergeLists(type.list, from, to);
  }
  return applied;
}

/** Same as {@link mergeObjects}, in steps. @throws ItemError */
export function* mergeInSteps(type: Type, live: JsonObject, applied: JsonObject): Steps<JsonObject> {
  const merged = areFew(live, applied) ? merge(type, live, applied) : yield* walked(divided(type, live, applied));
  return (merged ?? {}) as JsonObject;
}

/** Same as {@link merge}, in steps. */
function* divided(
  type: Type,
  live: JsonValue | undefined,
  applied: JsonValue | undefined,
): Walk<JsonValue | undefined> {
  if (areFew(live, applied)) return merge(type, live, applied);
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const form = formOf(type, applied);
  if (form === 'map' && type.map && !type.map.atomic) {
    const [from, to] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
    if (Object.keys(from).length > 0 || Object.keys(to).length > 0) return yield* dividedMaps(type.map, from, to);
  } else if (form === 'list' && type.list && type.list.relation !== 'atomic') {
    const [from, to] = [Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : []];
    if (from.length > 0 || to.length > 0) return yield* dividedLists(type.list, from, to);
  }
  return applied;
}

function* dividedMaps(map: MapType, live: JsonObject, applied: JsonObject): Walk<JsonObject> {
  let merged: JsonObject | undefined;
  const pace = new Pace();
  for (const name of Object.keys(applied)) {
    const type = typeOfField(map, map.fields.get(name));
    const had = memberOf(live, name);
    const weight = weightOf(had, applied[name]);
    const value = weight > PIECE ? yield* descend(divided(type, had, applied[name])) : merge(type, had, applied[name]);
    if (pace.isOver(weight)) yield STEP;
    if (value === had) continue;
    merged ??= yield* copied(live);
    setMember(merged, name, value);
  }
  return merged ?? live;
}

/** Copies an object's members. */
function* copied(object: JsonObject): Steps<JsonObject> {
  const copy: JsonObject = {};
  const pace = new Pace();
  for (const name of Object.keys(object)) {
    setMember(copy, name, object[name]);
    if (pace.isOver()) yield STEP;
  }
  return copy;
}

function mergeMaps(map: MapType, live: JsonObject, applied: JsonObject): JsonObject {
  let merged: JsonObject | undefined;
  for (const name of Object.keys(applied)) {
    const type = typeOfField(map, map.fields.get(name));
    const had = memberOf(live, name);
    const value = merge(type, had, applied[name]);
    if (value === had) continue;
    merged ??= { ...live };
    setMember(merged, name, value);
  }
  return merged ?? live;
}

interface Place {
  readonly text: string;
  readonly item: JsonValue;
}

/** @throws ItemError */
function placesOf(list: ListType, items: readonly JsonValue[], sequence = sequenceOf(list, items)): Place[] {
  const elements = sequence?.elements;
  return items.map((item, i) => ({ text: (elements?.[i] ?? itemElement(list, i, item)).text, item }));
}

/**
 * Merges two lists with identified items. Items of both are in the order of the applied list; items that only the live
 * list has stay before the shared item that they preceded; new ones follow their predecessor.
 */
function mergeLists(list: ListType, live: readonly JsonValue[], applied: readonly JsonValue[]): JsonValue[] {
  const [old, now] = [placesOf(list, live), placesOf(list, applied)];
  const oldItems = itemsByText(old);
  const made = now.map(({ text, item }) => merge(list.items, oldItems.get(text), item) ?? null);
  return interleaved(old, now, oldItems, made);
}

/** Same as {@link mergeLists}, in steps. */
function* dividedLists(list: ListType, live: readonly JsonValue[], applied: readonly JsonValue[]): Walk<JsonValue[]> {
  const sequences = [yield* sequenceInSteps(list, live), yield* sequenceInSteps(list, applied)] as const;
  const [old, now] = [placesOf(list, live, sequences[0]), placesOf(list, applied, sequences[1])];
  yield STEP;
  const oldItems = itemsByText(old);
  yield STEP;
  const made = yield* eachInSteps(now, {
    weigh: ({ text, item }) => weightOf(oldItems.get(text), item),
    atOnce: ({ text, item }) => merge(list.items, oldItems.get(text), item) ?? null,
    inSteps: ({ text, item }) => divided(list.items, oldItems.get(text), item),
  });
  yield STEP;
  return interleaved(old, now, oldItems, made as JsonValue[]);
}

const itemsByText = (places: readonly Place[]): Map<string, JsonValue> =>
  new Map(places.map(({ text, item }) => [text, item]));

/** @param made merged items of `now`, in their order */
function interleaved(
  old: readonly Place[],
  now: readonly Place[],
  oldItems: ReadonlyMap<string, JsonValue>,
  made: readonly JsonValue[],
): JsonValue[] {
  const isSaid = new Set(now.map(({ text }) => text));
  const shared = now.filter(({ text }) => oldItems.has(text)).map(({ text }) => text);
  const merged: JsonValue[] = [];
  const takeApplied = ({ text }: Place) => {
    merged.push(made[j] as JsonValue);
    if (shared[nextShared] === text) nextShared++;
  };
  let [i, j, nextShared] = [0, 0, 0];
  while (i < old.length || j < now.length) {
    const [mine, theirs] = [old[i], now[j]];
    if (mine && theirs && mine.text === theirs.text) {
      takeApplied(theirs);
      i++;
      j++;
    } else if (mine && !isSaid.has(mine.text)) {
      merged.push(mine.item);
      i++;
    } else if (mine && (theirs === undefined || (nextShared < shared.length && shared[nextShared] !== mine.text))) {
      i++; // placed as in the applied list
    } else if (theirs) {
      takeApplied(theirs);
      j++;
    }
  }
  return merged;
}
