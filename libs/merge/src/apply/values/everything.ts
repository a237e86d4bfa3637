import type { JsonObject, JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { type FieldSet, NO_FIELDS, type Node } from '../paths/field-set.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { type Steps, type Walk, walked } from '../steps.js';
import { meant, planFor, planInSteps } from '../types/plan.js';
import type { ObjectPlan, Step } from '../types/type.js';
import { ATOMIC_VALUE, type FieldType, type ListType, type MapType, type Type } from '../types/type.js';
import { areFew, eachInSteps, weightOf } from './few.js';
import { levelsOf, sequenceInSteps, sequenceOf } from './list-items.js';
import type { Sequence } from './sequence.js';

/**
 * Returns every path below a value, for when it is added or removed. Undefined when there is none, as below scalars,
 * atomic values, empty values, and a list whose items lack the keys to identify them.
 */
export function everythingBelow(type: Type, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return type.list && value.length > 0 ? belowItems(type.list, value) : undefined;
  return type.map && !type.map.atomic ? belowMembers(type.map, value) : undefined;
}

/** Placeholder for the level below an absent member. */
const ABSENT = NO_FIELDS;

function belowMembers(map: MapType, object: JsonObject): FieldSet | undefined {
  const plan = planFor(map, object);
  const parts = new Array<FieldSet | undefined>(plan.members.length);
  let i = 0;
  // In one go: looking values up by name takes several times as long.
  for (const name in object) {
    const step = plan.members[i] as Step;
    parts[i++] = belowMember(step, object[name]);
  }
  return levelOfMembers(plan, parts);
}

/** Returns the level of an object with these below its members. */
const levelOfMembers = (plan: ObjectPlan, parts: readonly (FieldSet | undefined)[]): FieldSet | undefined =>
  plan.levels.everything.made(plan, parts, () => nodesOf(plan, parts));

function belowMember(step: Step, written: JsonValue | undefined): FieldSet | undefined {
  const value = meant(step, written);
  return value === undefined ? ABSENT : everythingBelow(step.type, value);
}

/** The present members in the order of their elements, including those that are present without being written. */
function nodesOf({ steps }: ObjectPlan, parts: readonly (FieldSet | undefined)[]): Node[] {
  const nodes: Node[] = [];
  for (const step of steps) {
    const below = step.at < 0 ? belowMember(step, undefined) : parts[step.at];
    if (below !== ABSENT) nodes.push({ element: step.element, member: true, below });
  }
  return nodes;
}

function belowItems(list: ListType, items: readonly JsonValue[]): FieldSet | undefined {
  const sequence = list.relation === 'atomic' ? undefined : sequenceOf(list, items);
  if (sequence === undefined) return undefined;
  return levelOfItems(
    list,
    sequence,
    items.map((item) => everythingBelow(list.items, item)),
  );
}

/** Returns the level of a list with these below its items. */
function levelOfItems(
  list: ListType,
  sequence: Sequence,
  parts: readonly (FieldSet | undefined)[],
): FieldSet | undefined {
  const { elements, order } = sequence;
  return levelsOf(list).everything.made(sequence, parts, () =>
    order.map((i) => ({ element: elements[i] as PathElement, member: true, below: parts[i] })),
  );
}

/** Same as {@link everythingBelow}, in steps. */
export function* everythingInSteps(type: Type, value: JsonValue): Steps<FieldSet | undefined> {
  return areFew(value) ? everythingBelow(type, value) : yield* walked(divided(type, value));
}

function* divided(type: Type, value: JsonValue): Walk<FieldSet | undefined> {
  if (areFew(value)) return everythingBelow(type, value);
  if (Array.isArray(value)) return type.list ? yield* dividedItems(type.list, value) : undefined;
  return isObject(value) && type.map && !type.map.atomic ? yield* dividedMembers(type.map, value) : undefined;
}

function* dividedMembers(map: MapType, object: JsonObject): Walk<FieldSet | undefined> {
  const plan = yield* planInSteps(map, object);
  const parts = yield* eachInSteps(plan.members, {
    weigh: ({ name }) => weightOf(object[name]),
    atOnce: (step) => belowMember(step, object[step.name]),
    // A value with very many values is never a zero.
    inSteps: (step) => divided(step.type, object[step.name] ?? null),
  });
  return levelOfMembers(plan, parts);
}

function* dividedItems(list: ListType, items: readonly JsonValue[]): Walk<FieldSet | undefined> {
  const sequence = list.relation === 'atomic' ? undefined : yield* sequenceInSteps(list, items);
  if (sequence === undefined) return undefined;
  const parts = yield* eachInSteps(items, {
    weigh: weightOf,
    atOnce: (item) => everythingBelow(list.items, item),
    inSteps: (item) => divided(list.items, item),
  });
  return levelOfItems(list, sequence, parts);
}

/** Returns the element of a field or key. */
export const elementOf = (field: FieldType | undefined, name: string): PathElement =>
  field?.element ?? fieldElement(name);

/** Type of a field or key of a map; an undeclared key where no others may be is owned without a schema. */
export const typeOfField = (map: MapType, field: FieldType | undefined): Type =>
  field?.type ?? map.others ?? ATOMIC_VALUE;
