import type { JsonObject, JsonValue } from '@orch/machinery';
import { PIECE } from '../piece.js';
import { descend, STEP, type Walk } from '../steps.js';
import { isUndivided } from '../undivided.js';

/** Nesting of values up to which recursive functions are used. */
export const LEVELS = 100;

/** Whether values together are few enough for a walk in one step, and not nested too deeply for recursion. */
export const areFew = (a: JsonValue | undefined, b?: JsonValue): boolean => isUndivided() || weightOf(a, b) <= PIECE;

/**
 * Counts the values in two, themselves included; returns a larger number for more, or deeper, values than one step
 * covers. At least one.
 */
export function weightOf(a: JsonValue | undefined, b?: JsonValue): number {
  const weight = a === undefined ? 1 : valuesIn(a, PIECE);
  return b === undefined || weight > PIECE ? weight : weight + valuesIn(b, PIECE - weight);
}

/**
 * Counts the values in one, itself included, up to `most`; returns a larger number for more values, or for more levels
 * than given. Visits few more values than that, and at most {@link WIDE} member names on the way back.
 */
export function valuesIn(value: JsonValue, most: number, levels = LEVELS): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0) return most + 1;
  let values = 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && values <= most; i++) values += below(value[i], most - values, levels - 1);
    return values;
  }
  if (wide.has(value)) return most + 1;
  let members = 0;
  for (const name in value) {
    members++;
    if (values <= most) values += below(value[name], most - values, levels - 1);
    // Mark it even if few more values were to be counted: each level above starts anew, and would not find out either.
    if (values <= most || members <= WIDE) continue;
    wide.add(value);
    break;
  }
  return values;
}

/** Objects with very many members: even starting to iterate over them takes time proportional to their number. */
const wide = new WeakSet<JsonObject>();
const WIDE = PIECE / 2;

const below = (value: JsonValue | undefined, most: number, levels: number): number =>
  typeof value === 'object' && value !== null ? valuesIn(value, most, levels) : 1;

/** How a result is computed from one of many values. */
export interface Making<From, To> {
  /** Returns the number of values in it. */
  readonly weigh: (from: From) => number;
  readonly atOnce: (from: From) => To;
  /** Same for one with very many values. */
  readonly inSteps: (from: From) => Walk<To>;
}

/** Maps each value: many small ones per step, a very large one in steps of its own. */
export function* eachInSteps<From, To>(all: Iterable<From>, { weigh, atOnce, inSteps }: Making<From, To>): Walk<To[]> {
  const made: To[] = [];
  const pace = new Pace();
  for (const one of all) {
    const weight = weigh(one);
    made.push(weight > PIECE ? yield* descend(inSteps(one)) : atOnce(one));
    if (pace.isOver(weight)) yield STEP;
  }
  return made;
}

/** Shows when a walk has covered so many values that other work may run. */
export class Pace {
  #left = PIECE;

  /** Counts values; returns whether the step is over. */
  isOver(values = 1): boolean {
    this.#left -= values;
    if (this.#left > 0) return false;
    this.#left = PIECE;
    return true;
  }
}
