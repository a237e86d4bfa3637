import {
  type Activation,
  type AskedAuthorizer,
  COMPOSED_VARIABLE,
  ComposedValues,
  type ComposedVariable,
  Failure,
  PER_EXPRESSION_LIMIT,
  type Program,
  type Value,
} from '@orch/expressions';
import type { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { Compiled } from './definition.js';

/** Result of one expression: its value, or an error. */
export type Evaluated =
  | { readonly value: Value; readonly error?: undefined; readonly milliseconds: number }
  | { readonly error: string; readonly milliseconds: number };

/** Results of several expressions, undefined for those that do not exist, and the remaining cost budget. */
export interface Evaluations {
  /** Results in the order of the expressions. */
  readonly results: readonly (Evaluated | undefined)[];
  /** Remaining cost units. */
  readonly left: number;
}

interface Ran {
  readonly value: Value;
  readonly cost: number;
  readonly milliseconds: number;
}

/** Evaluates expressions about one request (k8s.io/apiserver, pkg/admission/plugin/cel/filter.go). */
export class Evaluation {
  readonly #bindings: Activation;
  readonly #composed: ComposedValues | undefined;

  /**
   * @param turns of the request, for yields to the event loop
   * @param variables of the policy, which all expressions share; undefined for none
   */
  constructor(
    bindings: Activation,
    private readonly asked: AskedAuthorizer,
    private readonly turns: EvaluationTurns,
    variables?: ReadonlyMap<string, ComposedVariable>,
  ) {
    this.#bindings = bindings;
    if (!variables) return;
    const all = new Map(bindings);
    this.#bindings = all;
    this.#composed = new ComposedValues(variables, all, asked);
    all.set(COMPOSED_VARIABLE, this.#composed);
  }

  /** Evaluates expressions in order. @param budget cost units for all together. @returns undefined if they cost more */
  async each(expressions: readonly (Compiled | undefined)[], budget: number): Promise<Evaluations | undefined> {
    const results: (Evaluated | undefined)[] = [];
    let left = budget;
    for (const expression of expressions) {
      if (!expression) {
        results.push(undefined);
        continue;
      }
      const { program, fault } = expression.program;
      if (program === undefined) {
        results.push({ error: `compilation error: ${fault}`, milliseconds: 0 });
        continue;
      }
      const { result, cost } = await this.#run(expression.text, program, left);
      left -= cost;
      if (left < 0) return undefined;
      results.push(result);
    }
    return { results, left };
  }

  /** Evaluates one expression. @param left remaining cost units. @returns a cost that includes the variables it read */
  async #run(text: string, program: Program, left: number): Promise<{ result: Evaluated; cost: number }> {
    const turn = this.turns.between();
    if (turn) await turn;
    const composed = this.#composed;
    const { value, cost, milliseconds } = await (composed
      ? this.#settled(program, composed, left)
      : this.#once(program));
    if (!(value instanceof Failure)) return { result: { value, milliseconds }, cost };
    return { result: { error: `expression '${text}' resulted in error: ${value.message}`, milliseconds }, cost };
  }

  /** Evaluates a program again until all variables that it reads have been evaluated. */
  async #settled(program: Program, composed: ComposedValues, left: number): Promise<Ran> {
    let { value, cost, milliseconds } = await this.#once(program);
    cost += composed.takeCost();
    while (cost <= left && (await composed.settle(() => this.turns.between(), left - cost))) {
      const again = await this.#once(program);
      value = again.value;
      cost += again.cost + composed.takeCost();
      milliseconds += again.milliseconds;
    }
    return { value, cost, milliseconds };
  }

  /** Evaluates a program again until the authorizer has answered all questions that it asks. */
  #once(program: Program): Promise<Ran> {
    let milliseconds = 0;
    return this.asked.settled(() => {
      const began = performance.now();
      const { value, cost } = program.evaluate(this.#bindings, PER_EXPRESSION_LIMIT);
      milliseconds += performance.now() - began;
      return { value, cost, milliseconds };
    });
  }
}
