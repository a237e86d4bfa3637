import { weightOf } from '@orch/expressions';
import { RE2JS } from 're2js';

/** Steps that the expressions of one definition may take in all, those of reading them among them. */
const MOST_STEPS = 100_000;
/** A step of matching takes so much less than one of reading the expression. */
const TEXT_SHARE = 16;

/** Thrown when expressions would take too long. */
export class TooManySteps extends Error {
  constructor() {
    super(`takes more than ${MOST_STEPS} steps to match`);
  }
}

/** Comparisons of values with their schemas, which may be as many as the product of the sizes of both. */
const MOST_COMPARISONS = 200_000;

/** Thrown when values would take too long to compare. */
export class TooManyComparisons extends Error {
  constructor() {
    super(`takes more than ${MOST_COMPARISONS} comparisons with its schema`);
  }
}

/**
 * Matches texts with the regular expressions of a definition, in time that grows with both and is bounded for all of them together,
 * as is what else its values are compared with.
 */
export class Patterns {
  #left = MOST_STEPS;
  #comparisons = MOST_COMPARISONS;
  readonly #known = new Map<string, Known>();

  /**
   * The expression if no part of the text matches, and why it is none if that is why; undefined where a part matches.
   * @throws TooManySteps
   */
  faultOf(pattern: string, text: string): string | undefined {
    const { weight, compiled } = this.#compiled(pattern);
    if (typeof compiled === 'string') return `${pattern}, but pattern is invalid: ${compiled}`;
    this.#take(Math.ceil((weight * (text.length + 1)) / TEXT_SHARE));
    return compiled.test(text) ? undefined : pattern;
  }

  /** Counts what is compared besides. @throws TooManyComparisons */
  compare(comparisons: number): void {
    this.#comparisons -= comparisons;
    if (this.#comparisons < 0) throw new TooManyComparisons();
  }

  #compiled(pattern: string): Known {
    const known = this.#known.get(pattern);
    if (known) return known;
    const weight = weightOf(pattern);
    this.#take(weight);
    const made = { weight, compiled: compile(pattern) };
    this.#known.set(pattern, made);
    return made;
  }

  #take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManySteps();
  }
}

interface Known {
  readonly weight: number;
  /** A text: what is wrong with it. */
  readonly compiled: RE2JS | string;
}

function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
