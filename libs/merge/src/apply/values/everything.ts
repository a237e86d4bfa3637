import type { JsonObject, JsonValue } from '@orch/machinery';
import type { FieldSet, Node } from '../paths/field-set.js';
import type { KnownLevels } from '../paths/known-levels.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { planned, type Step, valueAmong } from '../types/plan.js';
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

function belowMembers(map: MapType, object: JsonObject): FieldSet | undefined {
  const { plan, values } = planned(map, object);
  const { steps, levels } = plan;
  const level = new Growing(levels);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const value = valueAmong(step, values);
    if (value !== undefined) level.add(step.element, everythingBelow(step.type, value));
  }
  return level.build();
}

function belowItems(list: ListType, items: readonly JsonValue[]): FieldSet | undefined {
  const sequence = list.relation === 'atomic' ? undefined : sequenceOf(list, items);
  if (sequence === undefined) return undefined;
  const { elements, order } = sequence;
  const level = new Growing(levelsOf(list));
  for (let k = 0; k < order.length; k++) {
    const i = order[k] as number;
    level.add(elements[i] as PathElement, everythingBelow(list.items, items[i] ?? null));
  }
  return level.build();
}

/**
 * Puts a level together, in order. So long as it is what came last there, nothing is made. In types that hold themselves a
 * level below may be of the same place, and come last meanwhile.
 */
class Growing {
  readonly #known: FieldSet | undefined;
  readonly #last: readonly Node[];
  #same = 0;
  #nodes: Node[] | undefined;

  constructor(private readonly levels: KnownLevels) {
    this.#known = levels.last;
    this.#last = this.#known?.nodes ?? [];
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
    return this.#same === this.#last.length ? this.#known : this.levels.of(this.#last.slice(0, this.#same));
  }
}

/** The element of a field or key. */
export const elementOf = (field: FieldType | undefined, name: string): PathElement =>
  field?.element ?? fieldElement(name);

/** What a field or key of a map holds; a key that is not declared where nothing else may be is owned without a schema. */
export const typeOfField = (map: MapType, field: FieldType | undefined): Type =>
  field?.type ?? map.others ?? ATOMIC_VALUE;
