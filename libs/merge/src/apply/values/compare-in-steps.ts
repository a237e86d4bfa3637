import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { compareElements, type PathElement } from '../paths/path-element.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { planInSteps, valueAt } from '../types/plan.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import {
  both,
  type Comparison,
  compare,
  compareObjects,
  comparisonOf,
  type FieldChanges,
  ITSELF,
  Level,
  sameItems,
} from './compare.js';
import { equalInSteps } from './equal-in-steps.js';
import { everythingInSteps } from './everything.js';
import { areFew, eachInSteps, Pace, weightOf } from './few.js';
import { levelsOf, sequenceInSteps } from './list-items.js';
import type { Sequence } from './sequence.js';

/*
 * The walk of `compare.ts` over objects of any size, in steps: small values are delegated to that, and each function
 * here has the result of its namesake there.
 */

/** Same as `compareObjects`. */
export function* compareInSteps(type: Type, before: JsonObject, after: JsonObject): Steps<Comparison> {
  return areFew(before, after)
    ? compareObjects(type, before, after)
    : comparisonOf(yield* walked(compared(type, before, after)));
}

function* compared(type: Type, before: JsonValue, after: JsonValue): Walk<FieldChanges | undefined> {
  if (before === after) return undefined;
  if (areFew(before, after)) return compare(type, before, after);
  if (type.map && type.scalar === undefined) return yield* comparedAs('map', type, before, after);
  const [from, to] = [formOf(type, before), formOf(type, after)];
  const change = yield* comparedAs(to, type, before, after);
  return from === to ? change : both(change, yield* comparedAs(from, type, before, after));
}

function* comparedAs(
  form: 'map' | 'scalar' | 'list',
  type: Type,
  before: JsonValue,
  after: JsonValue,
): Walk<FieldChanges | undefined> {
  const { map, list } = type;
  if (form === 'map' && map && !map.atomic) {
    const found = yield* comparedMaps(type, map, before, after);
    if (found.differ) return found.change;
  } else if (form === 'list' && list && list.relation !== 'atomic') {
    const found = yield* comparedLists(type, list, before, after);
    if (found.differ) return found.change;
  }
  return (yield* equalInSteps(before, after)) ? undefined : ITSELF;
}

/** Result of comparing below two values, or that they must be compared as wholes. */
type Found = { readonly differ: true; readonly change: FieldChanges | undefined } | { readonly differ: false };

const AS_WHOLES: Found = { differ: false };

const found = (change: FieldChanges | undefined): Found => ({ differ: true, change });

function* comparedMaps(type: Type, map: MapType, before: JsonValue, after: JsonValue): Walk<Found> {
  if (isObject(before) && isObject(after)) {
    // Not both are empty: they hold very many values.
    return found(yield* comparedMembers(map, before, after));
  }
  const set = isObject(after) ? yield* everythingInSteps(type, after) : undefined;
  const removed = isObject(before) ? yield* everythingInSteps(type, before) : undefined;
  return set || removed ? found({ self: false, set, removed }) : AS_WHOLES;
}

function* comparedMembers(map: MapType, before: JsonObject, after: JsonObject): Walk<FieldChanges | undefined> {
  const plan = yield* planInSteps(map, after);
  const level = new Level(plan.levels.changes);
  const pace = new Pace();
  for (const step of plan.steps) {
    const [from, to] = [valueAt(step, before), valueAt(step, after)];
    const weight = weightOf(from, to);
    if (weight > PIECE) yield* largeChild(level, step.element, step.type, from, to);
    else if (from !== to) level.child(step.element, step.type, from, to);
    if (pace.isOver(weight)) yield STEP;
  }
  const old = yield* planInSteps(map, before);
  for (const step of old === plan ? [] : old.steps) {
    if (pace.isOver()) yield STEP;
    if (Object.hasOwn(after, step.name) || step.zero !== undefined) continue;
    const from = valueAt(step, before);
    const weight = weightOf(from);
    if (weight > PIECE) yield* largeChild(level, step.element, step.type, from, undefined);
    else level.child(step.element, step.type, from, undefined);
    if (pace.isOver(weight)) yield STEP;
  }
  yield STEP;
  return level.change();
}

/** Same as `Level.child`, for a child with very many values. */
function* largeChild(
  level: Level,
  element: PathElement,
  type: Type,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Walk<void> {
  if (after === undefined) level.went(element, yield* everythingInSteps(type, before ?? null));
  else if (before === undefined) level.came(element, yield* everythingInSteps(type, after));
  else {
    const change = yield* descend(compared(type, before, after));
    if (change) level.changed(element, change);
  }
}

function* comparedLists(type: Type, list: ListType, before: JsonValue, after: JsonValue): Walk<Found> {
  const [from, to] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
  const came = from.length === 0 ? yield* everythingInSteps(type, to) : undefined;
  if (came) return found({ self: false, set: came, removed: undefined });
  if (sameItems(list, from, to)) return found(yield* comparedInTurn(list, from, to));
  const [old, now] = [yield* sequenceInSteps(list, from), yield* sequenceInSteps(list, to)];
  if (from.length + to.length === 0 || !old || !now) return AS_WHOLES;
  return found(yield* comparedItems(list, { items: from, sequence: old }, { items: to, sequence: now }));
}

function* comparedInTurn(
  list: ListType,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): Walk<FieldChanges | undefined> {
  const changes = yield* eachInSteps(after.keys(), {
    weigh: (i) => weightOf(before[i], after[i]),
    atOnce: (i) => compare(list.items, before[i] ?? null, after[i] ?? null),
    inSteps: (i) => compared(list.items, before[i] ?? null, after[i] ?? null),
  });
  if (!changes.some((change) => change !== undefined)) return undefined;
  const sequence = yield* sequenceInSteps(list, after);
  if (sequence === undefined) return ITSELF;
  const level = new Level(levelsOf(list).changes);
  for (const i of sequence.order) {
    const change = changes[i];
    if (change) level.changed(sequence.elements[i] as PathElement, change);
  }
  return level.change();
}

interface Items {
  readonly items: readonly JsonValue[];
  readonly sequence: Sequence;
}

function* comparedItems(list: ListType, before: Items, after: Items): Walk<FieldChanges | undefined> {
  const level = new Level(levelsOf(list).changes);
  const pace = new Pace();
  let [i, j] = [0, 0];
  while (i < before.sequence.order.length || j < after.sequence.order.length) {
    const [old, now] = [itemAt(before, i), itemAt(after, j)];
    const order = !old ? 1 : !now ? -1 : compareElements(old.element, now.element);
    const [from, to] = [order <= 0 ? old : undefined, order >= 0 ? now : undefined];
    if (from) i++;
    if (to) j++;
    const { element } = (from ?? to) as Item;
    const weight = weightOf(from?.item, to?.item);
    if (weight > PIECE) yield* largeChild(level, element, list.items, from?.item, to?.item);
    else level.child(element, list.items, from?.item, to?.item);
    if (pace.isOver(weight)) yield STEP;
  }
  return level.change();
}

interface Item {
  readonly element: PathElement;
  readonly item: JsonValue;
}

/** Returns the item at an index in the order of the elements. */
function itemAt({ items, sequence: { elements, order } }: Items, at: number): Item | undefined {
  const place = order[at];
  return place === undefined ? undefined : { element: elements[place] as PathElement, item: items[place] ?? null };
}
