import { keptPattern, type Pattern, patternOf } from './patterns.js';

/** Steps that the expressions of one definition may take in all, parsing included. */
const MOST_STEPS = 100_000;
/** Factor by which a step of matching is cheaper than one of parsing. */
const TEXT_SHARE = 16;

/** Thrown when expressions would take too long. */
export class TooManySteps extends Error {
  constructor() {
    super(`takes more than ${MOST_STEPS} steps to match`);
  }
}

/** Comparisons of values with their schemas, which may be as many as the product of their sizes. */
const MOST_COMPARISONS = 200_000;

/** Thrown when values would take too long to compare. */
export class TooManyComparisons extends Error {
  constructor() {
    super(`takes more than ${MOST_COMPARISONS} comparisons with its schema`);
  }
}

/** Work in steps yields after this fraction (1/n) of the budget of a whole definition. */
const PARTS = 8;
/** Patterns take longer to parse than to match, so fewer of their steps make up a step of work. */
const STEPS_AT_ONCE = 5_000;

/** Steps of one match, which cannot be interrupted. */
const MOST_OF_ONE = 1_000_000;

/**
 * Budget for validating values against their schemas: for matching regular expressions, in time that grows with pattern
 * and text, and for comparisons. It is limited in all, or per step with any number of steps.
 */
export class Effort {
  #left = MOST_STEPS;
  #comparisons = MOST_COMPARISONS;

  /** Patterns used so far, as the shared cache may evict them meanwhile, and parsing them again would be costly. */
  readonly #read = new Map<string, Pattern>();

  private constructor(private readonly renewable: boolean) {
    if (renewable) this.#renew();
  }

  /** Returns a budget that is limited in total. */
  static inAll(): Effort {
    return new Effort(false);
  }

  /** Returns a budget per step: only uninterruptible work is limited. */
  static inSteps(): Effort {
    return new Effort(true);
  }

  /** Whether it is time for other work. */
  get isSpent(): boolean {
    return this.renewable && (this.#left < 0 || this.#comparisons < 0);
  }

  /** Counts values. Returns whether other work should run now: then the next step has begun. */
  endsStep(values = 0): boolean {
    this.compare(values);
    if (!this.isSpent) return false;
    this.#renew();
    return true;
  }

  #renew(): void {
    this.#left = STEPS_AT_ONCE;
    this.#comparisons = MOST_COMPARISONS / PARTS;
  }

  /**
   * Returns the expression if no part of the text matches, and its error if it is invalid; undefined if a part matches.
   * @throws TooManySteps
   */
  faultOf(pattern: string, text: string): string | undefined {
    const { weight, compiled } = this.#compiled(pattern);
    if (typeof compiled === 'string') return `${pattern}, but pattern is invalid: ${compiled}`;
    const steps = Math.ceil((weight * (text.length + 1)) / TEXT_SHARE);
    if (this.renewable && steps > MOST_OF_ONE) return `${pattern}, but that takes more than ${MOST_OF_ONE} steps`;
    this.#take(steps);
    return compiled.test(text) ? undefined : pattern;
  }

  /** Counts further comparisons. @throws TooManyComparisons */
  compare(comparisons: number): void {
    this.#comparisons -= comparisons;
    if (this.#comparisons < 0 && !this.renewable) throw new TooManyComparisons();
  }

  /** Compiles a pattern; a budget in all is charged for each pattern, whether it is cached or not. */
  #compiled(pattern: string): Pattern {
    const read = this.#read.get(pattern);
    if (read) return read;
    const known = keptPattern(pattern);
    const made = known ?? patternOf(pattern);
    this.#read.set(pattern, made);
    if (!known || !this.renewable) this.#take(made.weight);
    return made;
  }

  #take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0 && !this.renewable) throw new TooManySteps();
  }
}
