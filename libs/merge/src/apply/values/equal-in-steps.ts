import type { JsonObject, JsonValue } from '@orch/machinery';
import { equalJson, isObject } from '../../json-values.js';
import { PIECE } from '../piece.js';
import { descend, STEP, type Walk } from '../steps.js';
import { areFew, Pace, weightOf } from './few.js';

/** Same as `equalJson`, in steps. */
export function* equalInSteps(a: JsonValue, b: JsonValue): Walk<boolean> {
  if (a === b) return true;
  if (areFew(a, b)) return equalJson(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && (yield* equalItems(a, b));
  return isObject(a) && isObject(b) && (yield* equalMembers(a, b));
}

function* equalItems(a: readonly JsonValue[], b: readonly JsonValue[]): Walk<boolean> {
  const pace = new Pace();
  for (let i = 0; i < a.length; i++) {
    if (!(yield* equalPart(a[i] ?? null, b[i] ?? null, pace))) return false;
  }
  return true;
}

function* equalMembers(a: JsonObject, b: JsonObject): Walk<boolean> {
  yield STEP;
  const names = Object.keys(a);
  yield STEP;
  if (names.length !== Object.keys(b).length) return false;
  yield STEP;
  const pace = new Pace();
  for (const name of names) {
    const [from, to] = [a[name], Object.hasOwn(b, name) ? b[name] : undefined];
    if (from === undefined || to === undefined) {
      if (from !== to || !Object.hasOwn(b, name)) return false;
    } else if (!(yield* equalPart(from, to, pace))) return false;
  }
  return true;
}

function* equalPart(a: JsonValue, b: JsonValue, pace: Pace): Walk<boolean> {
  const weight = weightOf(a, b);
  if (pace.isOver(weight)) yield STEP;
  return weight > PIECE ? yield* descend(equalInSteps(a, b)) : equalJson(a, b);
}
