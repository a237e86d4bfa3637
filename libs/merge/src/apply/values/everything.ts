import type { JsonObject, JsonValue } from '@orch/machinery';
import type { FieldSet, Node } from '../paths/field-set.js';
import type { KnownLevels } from '../paths/known-levels.js';
import { compareElements, fieldElement, type PathElement } from '../paths/path-element.js';
import { planFor, type Step, valueAt } from '../types/plan.js';
import { ATOMIC_VALUE, type FieldType, type ListType, type MapType, type Type } from '../types/type.js';
import { elementsOf, levelsOf } from './list-items.js';

/**
 * Every path below a value: what came to be, or went, with it. Undefined when there is none, as below scalars, what is
 * owned as a whole, what is empty, and a list whose items lack the keys to tell them apart.
 */
export function everythingBelow(type: Type, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return type.list && value.length > 0 ? belowItems(type.list, value) : undefined;
  return type.map && !type.map.atomic ? belowMembers(type.map, value) : undefined;
}

function belowMembers(map: MapType, object: JsonObject): FieldSet | undefined {
  const { steps, levels } = planFor(map, object);
  const level = new Growing(levels);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const value = valueAt(step, object);
    if (value !== undefined) level.add(step.element, everythingBelow(step.type, value));
  }
  return level.build();
}

function belowItems(list: ListType, items: readonly JsonValue[]): FieldSet | undefined {
  const elements = list.relation === 'atomic' ? undefined : elementsOf(list, items);
  if (elements === undefined) return undefined;
  const level = new Growing(levelsOf(list));
  let last: PathElement | undefined;
  for (const i of inElementOrder(elements)) {
    const element = elements[i] as PathElement;
    // Of several with the same keys the first stands for all.
    if (last === undefined || compareElements(last, element) !== 0)
      level.add(element, everythingBelow(list.items, items[i] ?? null));
    last = element;
  }
  return level.build();
}

/** Puts a level together, in order. So long as it is what came last there, nothing is made. */
class Growing {
  readonly #last: readonly Node[];
  #same = 0;
  #nodes: Node[] | undefined;

  constructor(private readonly levels: KnownLevels) {
    this.#last = levels.last?.nodes ?? [];
  }

  add(element: PathElement, below: FieldSet | undefined): void {
    if (this.#nodes === undefined) {
      const node = this.#last[this.#same];
      if (node?.element === element && node.below === below && node.member) {
        this.#same++;
        return;
      }
      this.#nodes = this.#last.slice(0, this.#same);
    }
    this.#nodes.push({ element, member: true, below });
  }

  build(): FieldSet | undefined {
    if (this.#nodes) return this.levels.of(this.#nodes);
    return this.#same === this.#last.length ? this.levels.last : this.levels.of(this.#last.slice(0, this.#same));
  }
}

/** Places of the items in the order of their elements. */
function inElementOrder(elements: readonly PathElement[]): number[] {
  const places = Array.from(elements.keys());
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
