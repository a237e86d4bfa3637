import type { JsonObject, JsonValue } from '@orch/machinery';
import { LevelsOfPlace } from '../paths/known-levels.js';
import { sortTexts, sortTextsInSteps } from '../paths/order.js';
import { fieldElement } from '../paths/path-element.js';
import { PIECE } from '../piece.js';
import { STEP, type Steps } from '../steps.js';
import { areFew } from '../values/few.js';
import { ATOMIC_VALUE, type MapType, type ObjectPlan, type Step } from './type.js';

/** Plans that a type keeps; few are enough, as objects of a type come in few shapes. */
const KEPT = 8;

/**
 * Limits of members, and of characters in their names; beyond them they are data of a client's choice, and not kept.
 */
const LARGEST = 64;
const LONGEST = 4_000;

/** The last plans that were too large to be kept, until garbage collection: one write needs them several times. */
let large: readonly { readonly map: MapType; readonly plan: WeakRef<ObjectPlan> }[] = [];
const KEPT_LARGE = 2;

/** Returns the plan for an object. */
export function planFor(map: MapType, object: JsonObject): ObjectPlan {
  const { plans } = map;
  for (let i = 0; i < plans.length; i++) {
    const plan = plans[i] as ObjectPlan;
    if (hasNames(object, plan.names)) return plan;
  }
  const names = Object.keys(object);
  const known = largePlan(map, names);
  if (known) return known;
  const plan = makePlan(map, names);
  if (plan.isLarge) keepLarge(map, plan);
  else {
    if (map.plans.length >= KEPT) map.plans.shift();
    map.plans.push(plan);
  }
  return plan;
}

/** Same as {@link planFor}; the plan of very many members is made in steps. */
export function* planInSteps(map: MapType, object: JsonObject): Steps<ObjectPlan> {
  if (areFew(object)) return planFor(map, object);
  const names = Object.keys(object);
  if (names.length <= PIECE) return planFor(map, object);
  yield STEP;
  const known = largePlan(map, names);
  if (known) return known;
  const places = new Map(names.map((name, at) => [name, at]));
  yield STEP;
  const steps: Step[] = [];
  for (const name of yield* sortTextsInSteps([...names, ...unwrittenOf(map, places)])) {
    steps.push(stepOf(map, name, places.get(name) ?? -1));
    if (steps.length % PIECE === 0) yield STEP;
  }
  const plan = planOf(names, steps, true);
  keepLarge(map, plan);
  return plan;
}

/** Returns a cached plan of very many members. */
function largePlan(map: MapType, names: readonly string[]): ObjectPlan | undefined {
  for (const kept of large) {
    const plan = kept.map === map ? kept.plan.deref() : undefined;
    if (plan && plan.names.length === names.length && plan.names.every((name, i) => name === names[i])) return plan;
  }
  return undefined;
}

function keepLarge(map: MapType, plan: ObjectPlan): void {
  large = [{ map, plan: new WeakRef(plan) }, ...large.slice(0, KEPT_LARGE - 1)];
}

/** Whether an object has exactly these members in this order. */
function hasNames(object: JsonObject, names: readonly string[]): boolean {
  let i = 0;
  for (const name in object) if (name !== names[i++]) return false;
  return i === names.length;
}

function makePlan(map: MapType, names: readonly string[]): ObjectPlan {
  const places = new Map(names.map((name, at) => [name, at]));
  const sorted = sortTexts([...names, ...unwrittenOf(map, places)]);
  const steps = sorted.map((name) => stepOf(map, name, places.get(name) ?? -1));
  const isLarge = names.length > LARGEST || names.reduce((sum, { length }) => sum + length, 0) > LONGEST;
  return planOf(names, steps, isLarge);
}

const unwrittenOf = ({ always }: MapType, places: ReadonlyMap<string, number>): string[] =>
  always.filter((name) => !places.has(name));

function planOf(names: readonly string[], steps: readonly Step[], isLarge: boolean): ObjectPlan {
  const members = new Array<Step>(names.length);
  for (const step of steps) if (step.at >= 0) members[step.at] = step;
  return { names, steps, members, isLarge, levels: new LevelsOfPlace() };
}

/** Returns the step of a member. An undeclared one where no others may be is owned as one value. */
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

/** Returns the value at a step; undefined when it is absent. */
export function valueAt(step: Step, object: JsonObject): JsonValue | undefined {
  return meant(step, step.inherited && !Object.hasOwn(object, step.name) ? undefined : object[step.name]);
}

/** The effective value of a member that was written in this way; undefined when it is absent. */
export function meant(step: Step, written: JsonValue | undefined): JsonValue | undefined {
  if (step.isZero === undefined) return written;
  if (written === undefined || written === null) return step.zero;
  return step.isZero(written) ? undefined : written;
}
