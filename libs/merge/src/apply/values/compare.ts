import type { JsonObject, JsonValue } from '@orch/machinery';
import { equalJson, isObject } from '../../json-values.js';
import { type FieldSet, LevelBuilder, NO_FIELDS, union } from '../paths/field-set.js';
import type { KnownLevels } from '../paths/known-levels.js';
import { compareElements, type PathElement } from '../paths/path-element.js';
import { meant, planFor, valueAt } from '../types/plan.js';
import type { ObjectPlan, Step } from '../types/type.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { everythingBelow } from './everything.js';
import { levelsOf, sequenceOf } from './list-items.js';
import type { Sequence } from './sequence.js';

/** Differences between two objects. */
export interface Comparison {
  /** Fields that the second adds or changes. */
  readonly set: FieldSet;
  /** Fields that only the first has. */
  readonly removed: FieldSet;
}

/** Changes at a place and below it. */
export interface FieldChanges {
  /** Whether the value itself has changed. */
  readonly self: boolean;
  readonly set: FieldSet | undefined;
  readonly removed: FieldSet | undefined;
}

/** The value has changed, and has nothing below it. */
export const ITSELF: FieldChanges = { self: true, set: undefined, removed: undefined };

/**
 * Compares two objects of a type: atomic values as a whole, the rest field by field and item by item. Any object can be
 * compared, also one that does not fit its type: of items with the same keys the first is used, and a list whose items
 * lack their keys is one value.
 */
export function compareObjects(type: Type, before: JsonObject, after: JsonObject): Comparison {
  return comparisonOf(compare(type, before, after));
}

/** Returns the changed fields as two sets, which are empty without a change. */
export const comparisonOf = (change: FieldChanges | undefined): Comparison => ({
  set: change?.set ?? NO_FIELDS,
  removed: change?.removed ?? NO_FIELDS,
});

/** Returns the changes at a value and below it; undefined when there are none. */
export function compare(type: Type, before: JsonValue, after: JsonValue): FieldChanges | undefined {
  if (before === after) return undefined;
  if (type.map && type.scalar === undefined) return compareAs('map', type, before, after);
  const [from, to] = [formOf(type, before), formOf(type, after)];
  const change = compareAs(to, type, before, after);
  // A value of another form loses everything below it, and is another value.
  return from === to ? change : both(change, compareAs(from, type, before, after));
}

function compareAs(
  form: 'map' | 'scalar' | 'list',
  type: Type,
  before: JsonValue,
  after: JsonValue,
): FieldChanges | undefined {
  if (form === 'map' && type.map && !type.map.atomic) {
    if (isObject(before) && isObject(after)) {
      const change = compareMaps(type.map, before, after);
      if (change || !isEmpty(before) || !isEmpty(after)) return change;
    } else {
      // A value that is no object has nothing below it; the other's content was added or removed.
      const came = isObject(after) ? everythingBelow(type, after) : undefined;
      const went = isObject(before) ? everythingBelow(type, before) : undefined;
      if (came || went) return { self: false, set: came, removed: went };
    }
  } else if (form === 'list' && type.list && type.list.relation !== 'atomic') {
    const [from, to] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
    const came = from.length === 0 ? everythingBelow(type, to) : undefined;
    if (came) return { self: false, set: came, removed: undefined };
    if (sameItems(type.list, from, to)) return compareInTurn(type.list, from, to);
    const [old, now] = [sequenceOf(type.list, from), sequenceOf(type.list, to)];
    if (from.length + to.length > 0 && old && now) {
      return compareLists(type.list, { items: from, ...inOrder(old) }, { items: to, ...inOrder(now) });
    }
  }
  return equalJson(before, after) ? undefined : ITSELF;
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** Merges the changes of two comparisons of the same place. */
export const both = (a: FieldChanges | undefined, b: FieldChanges | undefined): FieldChanges | undefined =>
  a && b
    ? {
        self: a.self || b.self,
        set: joined(a.set, b.set),
        removed: joined(a.removed, b.removed),
      }
    : (a ?? b);

/** Undefined if both are: a place with an empty level has nothing below it. */
const joined = (a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined =>
  a && b ? union(a, b) : (a ?? b);

/** Collects the changes of one level; most levels have none, and allocate nothing. */
export class Level {
  #set: LevelBuilder | undefined;
  #removed: LevelBuilder | undefined;

  constructor(private readonly known: KnownLevels) {}

  child(element: PathElement, type: Type, before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (after === undefined) {
      if (before !== undefined) this.went(element, everythingBelow(type, before));
    } else if (before === undefined) this.came(element, everythingBelow(type, after));
    else {
      const change = compare(type, before, after);
      if (change) this.changed(element, change);
    }
  }

  came(element: PathElement, below: FieldSet | undefined): void {
    this.set.add(element, true, below);
  }

  went(element: PathElement, below: FieldSet | undefined): void {
    this.removed.add(element, true, below);
  }

  changed(element: PathElement, { self, set, removed }: FieldChanges): void {
    if (self || set) this.set.add(element, self, set);
    if (removed) this.removed.add(element, false, removed);
  }

  get set(): LevelBuilder {
    this.#set ??= new LevelBuilder();
    return this.#set;
  }

  get removed(): LevelBuilder {
    this.#removed ??= new LevelBuilder();
    return this.#removed;
  }

  change(): FieldChanges | undefined {
    if (this.#set === undefined && this.#removed === undefined) return undefined;
    return {
      self: false,
      set: this.known.of(this.#set?.nodes ?? []),
      removed: this.known.of(this.#removed?.nodes ?? []),
    };
  }
}

function compareMaps(map: MapType, before: JsonObject, after: JsonObject): FieldChanges | undefined {
  const plan = planFor(map, after);
  // Changes of a large one would have to be sorted.
  const from = plan.isLarge ? undefined : valuesOf(plan, before);
  return from ? compareMembers(plan, from, after) : compareShapes(map, plan, before, after);
}

/** Returns the values of an object with the names of a plan, in their order; undefined for one with other names. */
function valuesOf({ names }: ObjectPlan, object: JsonObject): (JsonValue | undefined)[] | undefined {
  const values = new Array<JsonValue | undefined>(names.length);
  let i = 0;
  for (const name in object) {
    if (name !== names[i]) return undefined;
    values[i++] = object[name];
  }
  return i === names.length ? values : undefined;
}

/**
 * Compares objects with the same names, the usual case, in one go: looking values up by name takes several times as
 * long.
 */
function compareMembers(
  plan: ObjectPlan,
  before: readonly (JsonValue | undefined)[],
  after: JsonObject,
): FieldChanges | undefined {
  let level: Level | undefined;
  let i = 0;
  for (const name in after) {
    const [from, to] = [before[i], after[name]];
    const step = plan.members[i++] as Step;
    if (from === to) continue;
    level ??= new Level(plan.levels.changes);
    level.child(step.element, step.type, meant(step, from), meant(step, to));
  }
  return level?.change();
}

function compareShapes(
  map: MapType,
  plan: ObjectPlan,
  before: JsonObject,
  after: JsonObject,
): FieldChanges | undefined {
  const level = new Level(plan.levels.changes);
  for (const step of plan.steps) {
    const [from, to] = [valueAt(step, before), valueAt(step, after)];
    if (from !== to) level.child(step.element, step.type, from, to);
  }
  const old = planFor(map, before);
  for (const step of old === plan ? [] : old.steps) {
    if (Object.hasOwn(after, step.name) || step.zero !== undefined) continue;
    level.child(step.element, step.type, valueAt(step, before), undefined);
  }
  return level.change();
}

/** Whether two lists have items of the same keys, or the same values, in the same order, the usual case. */
export function sameItems({ keys }: ListType, before: readonly JsonValue[], after: readonly JsonValue[]): boolean {
  if (before.length !== after.length || before.length === 0) return false;
  for (let i = 0; i < before.length; i++) {
    const [from, to] = [before[i], after[i]];
    if (from === to) continue;
    if (keys.length === 0 || !isObject(from) || !isObject(to)) return false;
    for (const key of keys) if (from[key] !== to[key]) return false;
  }
  return true;
}

/**
 * Compares items pairwise; their elements are only computed when something differs. Of equal ones the first is used.
 */
function compareInTurn(
  list: ListType,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): FieldChanges | undefined {
  let level: Level | undefined;
  let found: { readonly elements: readonly PathElement[]; readonly firsts: ReadonlySet<number> } | undefined;
  for (let i = 0; i < before.length; i++) {
    const change = compare(list.items, before[i] ?? null, after[i] ?? null);
    if (change === undefined) continue;
    if (found === undefined) {
      const sequence = sequenceOf(list, after);
      if (sequence === undefined) return ITSELF;
      found = { elements: sequence.elements, firsts: new Set(sequence.order) };
    }
    if (!found.firsts.has(i)) continue;
    level ??= new Level(levelsOf(list).changes);
    level.changed(found.elements[i] as PathElement, change);
  }
  return level?.change();
}

interface Items {
  readonly items: readonly JsonValue[];
  readonly elements: readonly PathElement[];
  /** Indexes of the items in the order of their elements. Of several with the same keys the first represents all. */
  readonly order: readonly number[];
}

const inOrder = ({ elements, order }: Sequence) => ({ elements, order });

/** Walks both lists side by side, in the order of their elements. */
function compareLists(list: ListType, before: Items, after: Items): FieldChanges | undefined {
  const level = new Level(levelsOf(list).changes);
  let [i, j] = [0, 0];
  while (i < before.order.length || j < after.order.length) {
    const [from, to] = [before.order[i], after.order[j]];
    const [old, now] = [elementAt(before, from), elementAt(after, to)];
    const order = !old ? 1 : !now ? -1 : compareElements(old, now);
    if (order <= 0) i++;
    if (order >= 0) j++;
    const element = (order <= 0 ? old : now) as PathElement;
    level.child(
      element,
      list.items,
      order <= 0 ? itemAt(before, from) : undefined,
      order >= 0 ? itemAt(after, to) : undefined,
    );
  }
  return level.change();
}

const elementAt = ({ elements }: Items, place: number | undefined) =>
  place === undefined ? undefined : elements[place];
const itemAt = ({ items }: Items, place: number | undefined) =>
  place === undefined ? undefined : (items[place] ?? null);
