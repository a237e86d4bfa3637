import type { JsonObject, JsonValue } from '@orch/machinery';
import { type FieldSet, NO_FIELDS, type Node } from '../paths/field-set.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { meant, type Plan, planFor, type Step } from '../types/plan.js';
import { ATOMIC_VALUE, type FieldType, type ListType, type MapType, type Type } from '../types/type.js';
import { levelsOf, sequenceOf } from './list-items.js';

/**
 * Every path below a value: what came to be, or went, with it. Undefined when there is none, as below scalars, what is
 * owned as a whole, what is empty, and a list whose items lack the keys to tell them apart.
 */
export function everythingBelow(type: Type, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return type.list && value.length > 0 ? belowItems(type.list, value) : undefined;
  return type.map && !type.map.atomic ? belowMembers(type.map, value) : undefined;
}

/** In the place of what is below a member that is absent. */
const ABSENT = NO_FIELDS;

function belowMembers(map: MapType, object: JsonObject): FieldSet | undefined {
  const plan = planFor(map, object);
  const parts = new Array<FieldSet | undefined>(plan.members.length);
  let i = 0;
  // In one go: looked up by their names one by one values take several times as long.
  for (const name in object) {
    const step = plan.members[i] as Step;
    parts[i++] = belowMember(step, object[name]);
  }
  return plan.levels.everything.made(plan, parts, () => nodesOf(plan, parts));
}

function belowMember(step: Step, written: JsonValue | undefined): FieldSet | undefined {
  const value = meant(step, written);
  return value === undefined ? ABSENT : everythingBelow(step.type, value);
}

/** The members that are there, in the order of their elements; those too that are there without being written. */
function nodesOf({ steps }: Plan, parts: readonly (FieldSet | undefined)[]): Node[] {
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
  const { elements, order } = sequence;
  const parts = items.map((item) => everythingBelow(list.items, item));
  return levelsOf(list).everything.made(sequence, parts, () =>
    order.map((i) => ({ element: elements[i] as PathElement, member: true, below: parts[i] })),
  );
}

/** The element of a field or key. */
export const elementOf = (field: FieldType | undefined, name: string): PathElement =>
  field?.element ?? fieldElement(name);

/** What a field or key of a map holds; a key that is not declared where nothing else may be is owned without a schema. */
export const typeOfField = (map: MapType, field: FieldType | undefined): Type =>
  field?.type ?? map.others ?? ATOMIC_VALUE;
