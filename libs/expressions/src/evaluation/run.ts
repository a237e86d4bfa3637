import { EvaluationBudget, TooMuchEffort, type Value } from '../values/value.js';

/** Values of the variables, by name. */
export type Activation = ReadonlyMap<string, Value>;

/** Thrown internally when an evaluation exceeds its cost limit. */
class CostExceeded extends Error {}

/** An evaluation: its variables, and its cost so far. */
export class Run {
  /** Units of the reference. */
  cost = 0;
  /** Variables of loops, by the plan's slots. */
  readonly locals: (Value | undefined)[] = [];

  constructor(
    readonly variables: Activation,
    private readonly limit: number,
    readonly effort = new EvaluationBudget(),
  ) {}

  /** @throws CostExceeded */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }
}

/** An executable part of an expression. A failure is a value, as in the reference. */
export type EvalStep = (run: Run) => Value;

/** Whether an error means that an evaluation exceeded a limit. */
export const isTooMuch = (error: unknown): boolean => error instanceof CostExceeded || error instanceof TooMuchEffort;
