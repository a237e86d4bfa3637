import type { LevelsOfPlace } from '../paths/known-levels.js';
import { compareElements, type PathElement } from '../paths/path-element.js';
import { sortInSteps } from '../paths/sort-in-steps.js';
import { STEP, type Steps } from '../steps.js';

/** Items of a list with their elements. */
export class Sequence {
  #order: readonly number[] | undefined;

  constructor(
    /** Element of each item. */
    readonly elements: readonly PathElement[],
  ) {}

  /** Indexes of the items in the order of their elements. Of several with the same keys the first represents all. */
  get order(): readonly number[] {
    this.#order ??= inElementOrder(this.elements);
    return this.#order;
  }

  /** Computes the {@link order} ahead of use, in steps. */
  *sort(): Steps<this> {
    this.#order ??= yield* inOrderInSteps(this.elements);
    return this;
  }
}

/** Cache of recent results for the lists of a type. */
export interface KeptOfList {
  /** Cached sequences, the most recent first. */
  sequences?: readonly Sequence[];
  levels?: LevelsOfPlace;
  /** Elements by the values of their keys: mostly names, which recur again and again. */
  elements?: Map<string, PathElement>;
}

type Compare = (a: number, b: number) => number;

const byElements =
  (elements: readonly PathElement[]): Compare =>
  (a, b) =>
    compareElements(elements[a] as PathElement, elements[b] as PathElement);

/** Returns the first place of each element, given places in their order. */
const firsts = (places: readonly number[], compare: Compare): number[] =>
  places.filter((place, i) => i === 0 || compare(places[i - 1] as number, place) !== 0);

function inElementOrder(elements: readonly PathElement[]): number[] {
  const compare = byElements(elements);
  // Stable for equal ones.
  return firsts(elements.map((_, i) => i).sort(compare), compare);
}

function* inOrderInSteps(elements: readonly PathElement[]): Steps<number[]> {
  const compare = byElements(elements);
  const places = elements.map((_, i) => i);
  const sorted = yield* sortInSteps(places, (some) => some.sort(compare), compare);
  yield STEP;
  return firsts(sorted, compare);
}
