import type { JsonObject, JsonValue } from '@orch/machinery';
import { type FieldSet, LevelBuilder, NO_FIELDS, type Node } from '../paths/field-set.js';
import type { PathElement } from '../paths/path-element.js';
import { type Plan, planFor, type Step } from '../types/plan.js';
import { formOf, type ListType, type MapType, type Type } from '../types/type.js';
import { itemElement, levelsOf, sequenceOf } from './list-items.js';

/** In the place of what is below a value that is owned itself: nothing is. */
const ITSELF = NO_FIELDS;

/** Which sets are made of objects: with the fields that merely lead to what is owned, or without. */
type Extent = 'owned' | 'named';

/**
 * What somebody owns who says this much of an object: its leaves, the items of its lists, the keys of its maps. Fields
 * that merely lead there are not owned.
 * @throws ItemError for lists whose items cannot be told apart
 */
export const fieldSetOf = (type: Type, object: JsonObject): FieldSet => within(type, object, 'owned') ?? NO_FIELDS;

/**
 * As {@link fieldSetOf}, with the declared fields that lead to what is owned, as in `withNamedFields`.
 * @throws ItemError
 */
export const namedSetOf = (type: Type, object: JsonObject): FieldSet => within(type, object, 'named') ?? NO_FIELDS;

/** What is owned below a value; {@link ITSELF} where it is the value, undefined where nothing is. */
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
  if (sequence === undefined || sequence.order.length < value.length) return repeated(list, value, parts);
  const { elements, order } = sequence;
  return levelsOf(list)[extent].made(sequence, parts, () =>
    order.map((i) => ({ element: elements[i] as PathElement, member: true, below: parts[i] })),
  );
}

/** The set of items of which several have the same keys: they own together. @throws ItemError */
function repeated(
  list: ListType,
  items: readonly JsonValue[],
  parts: readonly (FieldSet | undefined)[],
): FieldSet | undefined {
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
  return plan.levels[extent].made(plan, parts, () => nodesOf(plan, parts, extent));
}

function withinMember(step: Step, member: JsonValue | undefined, extent: Extent): FieldSet | undefined {
  if (member === undefined) return undefined;
  return within(step.type, member, extent) ?? (!step.declared || isNullOrEmpty(member) ? ITSELF : undefined);
}

function nodesOf({ steps }: Plan, parts: readonly (FieldSet | undefined)[], extent: Extent): Node[] {
  const nodes: Node[] = [];
  for (const { at, element, declared } of steps) {
    const part = parts[at];
    if (part === ITSELF) nodes.push({ element, member: true, below: undefined });
    else if (part) nodes.push({ element, member: !declared || extent === 'named', below: part });
  }
  return nodes;
}

/** Of what holds nothing, the path itself is all there is to own. An empty list is nobody's. */
function isNullOrEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return false;
  return value === null || (!Array.isArray(value) && Object.keys(value).length === 0);
}
