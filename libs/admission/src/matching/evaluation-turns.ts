import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of evaluation in one turn of the event loop; an expression itself is bounded by what it may cost. */
const TURN_MS = 2;

/**
 * Stands between all expressions about one request, whatever they belong to: others have a turn when there was none for a while. Were there one for
 * each policy or each object of parameters, a thousand short ones would never give one.
 */
export class EvaluationTurns {
  #ends = performance.now() + TURN_MS;

  /** Undefined where there was one lately. */
  between(): Promise<void> | undefined {
    return performance.now() < this.#ends ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#ends = performance.now() + TURN_MS;
  }
}
