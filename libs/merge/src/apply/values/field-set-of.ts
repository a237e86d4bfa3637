import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { unionOfInSteps } from '../paths/algebra-in-steps.js';
import { type FieldSet, LevelBuilder, NO_FIELDS, type Node } from '../paths/field-set.js';
import type { PathElement } from '../paths/path-element.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { planFor, planInSteps } from '../types/plan.js';
import type { ObjectPlan, Step } from '../types/type.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { areFew, eachInSteps, weightOf } from './few.js';
import { itemElement, levelsOf, sequenceInSteps, sequenceOf } from './list-items.js';
import type { Sequence } from './sequence.js';

/** Placeholder for the level below a value that is owned itself: nothing. */
const ITSELF = NO_FIELDS;

/** Which sets are made of objects: with the fields that merely lead to owned ones, or without. */
type Extent = 'owned' | 'named';

/**
 * Fields owned by an applier of an object: its leaves, the items of its lists, the keys of its maps. Fields that merely
 * lead there are not owned.
 * @throws ItemError for lists whose items cannot be identified
 */
export const fieldSetOf = (type: Type, object: JsonObject): FieldSet => within(type, object, 'owned') ?? NO_FIELDS;

/**
 * Same as {@link fieldSetOf}, with the declared fields that lead to owned ones, as in `withNamedFields`.
 * @throws ItemError
 */
export const namedSetOf = (type: Type, object: JsonObject): FieldSet => within(type, object, 'named') ?? NO_FIELDS;

/** Same as {@link fieldSetOf}, in steps. @throws ItemError */
export function* ownedInSteps(type: Type, object: JsonObject): Steps<FieldSet> {
  return areFew(object) ? fieldSetOf(type, object) : ((yield* walked(divided(type, object, 'owned'))) ?? NO_FIELDS);
}

/** Same as {@link namedSetOf}, in steps. @throws ItemError */
export function* namedInSteps(type: Type, object: JsonObject): Steps<FieldSet> {
  return areFew(object) ? namedSetOf(type, object) : ((yield* walked(divided(type, object, 'named'))) ?? NO_FIELDS);
}

/** Sets owned below members or items, in the order in which those are written. */
type Parts = readonly (FieldSet | undefined)[];

/** Set owned below a value; {@link ITSELF} for the value itself, undefined for nothing. */
function within(type: Type, value: JsonValue, extent: Extent): FieldSet | undefined {
  const form = formOf(type, value);
  if (form === 'map' && type.map) return withinMap(type.map, value, extent);
  if (form === 'list' && type.list) return withinList(type.list, value, extent);
  return ITSELF;
}

function withinList(list: ListType, value: JsonValue, extent: Extent): FieldSet | undefined {
  if (list.relation === 'atomic') return ITSELF;
  if (!Array.isArray(value)) return undefined;
  const parts = value.map((item) => below(within(list.items, item ?? null, extent)));
  const sequence = sequenceOf(list, value);
  return sequence && sequence.order.length === value.length
    ? levelOfItems(list, sequence, parts, extent)
    : repeated(list, value, parts);
}

function levelOfItems(list: ListType, sequence: Sequence, parts: Parts, extent: Extent): FieldSet | undefined {
  const { elements, order } = sequence;
  return levelsOf(list)[extent].made(sequence, parts, () =>
    order.map((i) => ({ element: elements[i] as PathElement, member: true, below: parts[i] })),
  );
}

/** The set of items of which several have the same keys: they are owned together. @throws ItemError */
function repeated(list: ListType, items: readonly JsonValue[], parts: Parts): FieldSet | undefined {
  const level = new LevelBuilder();
  for (let i = 0; i < items.length; i++) level.add(itemElement(list, i, items[i] ?? null), true, parts[i]);
  return level.build();
}

const below = (part: FieldSet | undefined): FieldSet | undefined => (part === ITSELF ? undefined : part);

function withinMap(map: MapType, value: JsonValue, extent: Extent): FieldSet | undefined {
  if (map.atomic) return ITSELF;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const plan = planFor(map, value);
  const parts = new Array<FieldSet | undefined>(plan.members.length);
  let i = 0;
  for (const name in value) {
    const step = plan.members[i] as Step;
    parts[i++] = withinMember(step, value[name], extent);
  }
  return levelOfMembers(plan, parts, extent);
}

const levelOfMembers = (plan: ObjectPlan, parts: Parts, extent: Extent): FieldSet | undefined =>
  plan.levels[extent].made(plan, parts, () => nodesOf(plan, parts, extent));

const withinMember = (step: Step, member: JsonValue | undefined, extent: Extent): FieldSet | undefined =>
  member === undefined ? undefined : orItself(step, member, within(step.type, member, extent));

/** Set owned below a member, or the member itself when nothing below leads to it. */
const orItself = ({ declared }: Step, member: JsonValue, part: FieldSet | undefined): FieldSet | undefined =>
  part ?? (!declared || isNullOrEmpty(member) ? ITSELF : undefined);

function nodesOf({ steps }: ObjectPlan, parts: Parts, extent: Extent): Node[] {
  const nodes: Node[] = [];
  for (const { at, element, declared } of steps) {
    const part = parts[at];
    if (part === ITSELF) nodes.push({ element, member: true, below: undefined });
    else if (part) nodes.push({ element, member: !declared || extent === 'named', below: part });
  }
  return nodes;
}

/** Same as {@link within}, in steps. */
function* divided(type: Type, value: JsonValue, extent: Extent): Walk<FieldSet | undefined> {
  if (areFew(value)) return within(type, value, extent);
  const form = formOf(type, value);
  if (form === 'map' && type.map) return yield* dividedMap(type.map, value, extent);
  if (form === 'list' && type.list) return yield* dividedList(type.list, value, extent);
  return ITSELF;
}

function* dividedMap(map: MapType, value: JsonValue, extent: Extent): Walk<FieldSet | undefined> {
  if (map.atomic) return ITSELF;
  if (!isObject(value)) return undefined;
  const plan = yield* planInSteps(map, value);
  const parts = yield* eachInSteps(plan.members, {
    weigh: ({ name }) => weightOf(value[name]),
    atOnce: (step) => withinMember(step, value[step.name], extent),
    *inSteps(step) {
      const member = value[step.name] ?? null;
      return orItself(step, member, yield* descend(divided(step.type, member, extent)));
    },
  });
  return levelOfMembers(plan, parts, extent);
}

function* dividedList(list: ListType, value: JsonValue, extent: Extent): Walk<FieldSet | undefined> {
  if (list.relation === 'atomic') return ITSELF;
  if (!Array.isArray(value)) return undefined;
  const parts = yield* eachInSteps(value, {
    weigh: weightOf,
    atOnce: (item) => below(within(list.items, item ?? null, extent)),
    *inSteps(item) {
      return below(yield* descend(divided(list.items, item, extent)));
    },
  });
  const sequence = yield* sequenceInSteps(list, value);
  yield STEP;
  return sequence && sequence.order.length === value.length
    ? levelOfItems(list, sequence, parts, extent)
    : yield* repeatedInSteps(list, value, parts);
}

/** Same as {@link repeated}. @throws ItemError */
function* repeatedInSteps(list: ListType, items: readonly JsonValue[], parts: Parts): Steps<FieldSet | undefined> {
  const levels: FieldSet[] = [];
  for (let from = 0; from < items.length; from += PIECE) {
    const level = repeated(list, items.slice(from, from + PIECE), parts.slice(from, from + PIECE));
    if (level) levels.push(level);
    yield STEP;
  }
  return levels.length > 0 ? yield* unionOfInSteps(levels) : undefined;
}

/** Whether a value is empty, so that only its path can be owned. An empty list has no owner. */
function isNullOrEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return false;
  return value === null || (!Array.isArray(value) && Object.keys(value).length === 0);
}
