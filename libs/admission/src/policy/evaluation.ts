import {
  type AskedAuthorizer,
  type Bindings,
  Failure,
  PER_EXPRESSION_LIMIT,
  type Program,
  type Value,
} from '@orch/expressions';
import { EvaluationTurns } from '../matching/evaluation-turns.js';
import type { Compiled } from './definition.js';

/** What came of one expression; undefined where there was none. */
export type Evaluated =
  | { readonly value: Value; readonly error?: undefined; readonly milliseconds: number }
  | { readonly error: string; readonly milliseconds: number };

/** What came of several expressions, and what they may still cost; undefined where they cost more. */
export interface Evaluations {
  readonly results: readonly (Evaluated | undefined)[];
  readonly left: number;
}

/** Runs expressions about one request (k8s.io/apiserver, pkg/admission/plugin/cel/filter.go). */
export class Evaluation {
  readonly #turns = new EvaluationTurns();

  constructor(
    private readonly bindings: Bindings,
    private readonly asked: AskedAuthorizer,
  ) {}

  /** @param budget units that all may cost together. @returns undefined where they cost more */
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
      const { result, cost } = await this.#run(expression.text, program);
      left -= cost;
      if (left < 0) return undefined;
      results.push(result);
    }
    return { results, left };
  }

  async #run(text: string, program: Program): Promise<{ result: Evaluated; cost: number }> {
    await this.#turns.between();
    let milliseconds = 0;
    const { value, cost } = await this.asked.settled(() => {
      const began = performance.now();
      const outcome = program.evaluate(this.bindings, PER_EXPRESSION_LIMIT);
      milliseconds += performance.now() - began;
      return outcome;
    });
    if (!(value instanceof Failure)) return { result: { value, milliseconds }, cost };
    return { result: { error: `expression '${text}' resulted in error: ${value.message}`, milliseconds }, cost };
  }
}
