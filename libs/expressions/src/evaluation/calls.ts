import { MOST_PATTERN_STEPS, readingOf } from '@orch/schema';
import type { Implementation } from '../libraries/library.js';
import { isIn } from '../libraries/standard.js';
import { equal } from '../values/compare.js';
import { Failure, type Value } from '../values/value.js';
import { type CallCost, isKnownAfter } from './call-costs.js';
import type { Plan } from './plans.js';
import type { EvalStep, Run } from './run.js';

/** Effort of each step of parsing a pattern. */
const EFFORT_OF_STEP = 10;
/** Characters, or bytes, that cost no effort, and how many further ones count as one element. */
const SHORT_TEXT = 64;
const CHARACTERS_OF_EFFORT = 16;

/** The cost of a call that has to parse its pattern first, which is slow for some short ones. */
export const readingPattern =
  (cost: CallCost): CallCost =>
  (args, result, effort) => {
    const [, pattern] = args;
    if (typeof pattern === 'string') effort.spend(EFFORT_OF_STEP * readingOf(pattern, MOST_PATTERN_STEPS));
    return cost(args, result, effort);
  };

/**
 * A call that evaluates its arguments and then charges, before it runs if the arguments determine the cost: a pattern
 * and a text may be long. One with more than two arguments, or marked so, stops at the first that fails, and costs
 * nothing then unless it is the last.
 */
export function calling(
  what: Implementation | 'equals' | 'differs' | 'in',
  plans: readonly Plan[],
  cost: CallCost | undefined,
  endsAtFailure: boolean,
): EvalStep {
  const steps = plans.map((plan) => plan.step());
  if (steps.length === 1) return unary(what as Implementation, steps[0] as EvalStep, cost);
  if (steps.length === 2 && !endsAtFailure)
    return binary(binaryOf(what), steps[0] as EvalStep, steps[1] as EvalStep, cost);
  const isAfter = cost !== undefined && isKnownAfter(cost);
  return (run) => {
    const args: Value[] = [];
    for (const step of steps) {
      const value = step(run);
      args.push(value);
      if (value instanceof Failure && args.length < steps.length) return value;
    }
    for (const arg of args) exert(run, arg);
    if (!isAfter) run.charge(cost ? cost(args, null, run.effort) : 1);
    const last = args.at(-1);
    const result = last instanceof Failure ? last : (what as Implementation)(...args);
    if (isAfter) run.charge(cost(args, result, run.effort));
    return noted(run, result);
  };
}

function unary(call: Implementation, operand: EvalStep, cost: CallCost | undefined): EvalStep {
  const isAfter = cost !== undefined && isKnownAfter(cost);
  return (run) => {
    const value = operand(run);
    exert(run, value);
    if (!isAfter) run.charge(cost ? cost([value], null, run.effort) : 1);
    const result = value instanceof Failure ? value : call(value);
    if (isAfter) run.charge(cost([value], result, run.effort));
    return noted(run, result);
  };
}

/**
 * Long texts take effort to read and to make, whatever they cost: `size` costs one unit, and `replace` is charged for
 * its input, though its output may be far longer.
 */
function exert(run: Run, value: Value): void {
  const length = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  if (length > SHORT_TEXT) run.effort.spend(length / CHARACTERS_OF_EFFORT);
}

function noted(run: Run, result: Value): Value {
  exert(run, result);
  return result;
}

type BinaryCall = (a: Value, b: Value, run: Run) => Value;

function binaryOf(what: Implementation | 'equals' | 'differs' | 'in'): BinaryCall {
  if (what === 'equals') return (a, b, run) => equal(a, b, run.effort);
  // Values that cannot be compared differ.
  if (what === 'differs') return (a, b, run) => equal(a, b, run.effort) !== true;
  if (what === 'in') return (a, b, run) => isIn(a, b, run.effort);
  return (a, b) => what(a, b);
}

function binary(call: BinaryCall, left: EvalStep, right: EvalStep, cost: CallCost | undefined): EvalStep {
  const isAfter = cost !== undefined && isKnownAfter(cost);
  return (run) => {
    const a = left(run);
    const b = right(run);
    exert(run, a);
    exert(run, b);
    if (!isAfter) run.charge(cost ? cost([a, b], null, run.effort) : 1);
    const result = a instanceof Failure ? a : b instanceof Failure ? b : call(a, b, run);
    if (isAfter) run.charge(cost([a, b], result, run.effort));
    return noted(run, result);
  };
}
