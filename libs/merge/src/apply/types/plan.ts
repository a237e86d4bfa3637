import type { JsonObject, JsonValue } from '@orch/machinery';
import { LevelsOfPlace } from '../paths/known-levels.js';
import { sortTexts } from '../paths/order.js';
import { fieldElement, type PathElement } from '../paths/path-element.js';
import { ATOMIC_VALUE, type FieldType, type MapType, type Type } from './type.js';

/** One member of an object, with all that its type says of it. */
export interface Step {
  readonly name: string;
  /** Where the name stands among those of the plan; -1 for a field that is there without being written. */
  readonly at: number;
  readonly element: PathElement;
  readonly type: Type;
  /** As in {@link FieldType}; unset for what is not declared. */
  readonly zero: JsonValue | undefined;
  readonly isZero: FieldType['isZero'];
  /** Whether the type declares a field of that name. */
  readonly declared: boolean;
  /** Every object inherits a member of that name, such as `constructor`; only one of its own counts. */
  readonly inherited: boolean;
}

/** The way through objects that have the same members in the same order: looked up and sorted once, not for each. */
export interface Plan {
  /** Names as the objects have them. */
  readonly names: readonly string[];
  /** A step for each name, and for each field that is there without being written, in the order of their elements. */
  readonly steps: readonly Step[];
  /** Those of {@link names}, in their order. */
  readonly members: readonly Step[];
  /** Whether it is of very many members, and not kept. */
  readonly isLarge: boolean;
  /** What was lately made of such objects. */
  readonly levels: LevelsOfPlace;
}

/** Plans that a type keeps; few are enough, for objects of a type come in few shapes. */
const KEPT = 8;

/** Beyond so many members, or characters in their names, they are data of a client's choice, and not kept. */
const LARGEST = 64;
const LONGEST = 4_000;

/** The last plan that was not kept, so long as nobody collects it: one write asks for it again and again. */
let large: { readonly map: MapType; readonly plan: WeakRef<Plan> } | undefined;

/** The plan for an object. */
export function planFor(map: MapType, object: JsonObject): Plan {
  const { plans } = map;
  for (let i = 0; i < plans.length; i++) {
    const plan = plans[i] as Plan;
    if (hasNames(object, plan.names)) return plan;
  }
  const last = large?.map === map ? large.plan.deref() : undefined;
  if (last && hasNames(object, last.names)) return last;
  const names = Object.keys(object);
  const plan = makePlan(map, names);
  if (plan.isLarge) large = { map, plan: new WeakRef(plan) };
  else {
    if (plans.length >= KEPT) plans.shift();
    plans.push(plan);
  }
  return plan;
}

/** Whether an object has just these members in this order. */
function hasNames(object: JsonObject, names: readonly string[]): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++]) return false;
  return i === names.length;
}

function makePlan(map: MapType, names: readonly string[]): Plan {
  const places = new Map(names.map((name, at) => [name, at]));
  const unwritten = map.always.filter((name) => !places.has(name));
  const steps = sortTexts([...names, ...unwritten]).map((name) => stepOf(map, name, places.get(name) ?? -1));
  const members = new Array<Step>(names.length);
  for (const step of steps) if (step.at >= 0) members[step.at] = step;
  const isLarge = names.length > LARGEST || names.reduce((sum, { length }) => sum + length, 0) > LONGEST;
  return { names, steps, members, isLarge, levels: new LevelsOfPlace() };
}

/** What a type says of a member. What is not declared where nothing else may be is owned as one value. */
function stepOf(map: MapType, name: string, at: number): Step {
  const field = map.fields.get(name);
  return {
    name,
    at,
    element: field?.element ?? fieldElement(name),
    type: field?.type ?? map.others ?? ATOMIC_VALUE,
    zero: field?.zero,
    isZero: field?.isZero,
    declared: field !== undefined,
    inherited: name in Object.prototype,
  };
}

/** The value at a step; undefined when it is absent. */
export function valueAt(step: Step, object: JsonObject): JsonValue | undefined {
  return meant(step, step.inherited && !Object.hasOwn(object, step.name) ? undefined : object[step.name]);
}

/** What is meant at a step where this is written; undefined when it is absent. */
export function meant(step: Step, written: JsonValue | undefined): JsonValue | undefined {
  if (step.isZero === undefined) return written;
  if (written === undefined || written === null) return step.zero;
  return step.isZero(written) ? undefined : written;
}
