import type { Program } from '../environment.js';
import type { Activation } from '../evaluation/run.js';
import type { ValidationRule } from '../schema-types/structural-schema.js';
import { type EvaluationBudget, Failure } from '../values/value.js';
import { PER_CALL_LIMIT } from './compile.js';

/** Bytes of the longest message that an expression may return. */
const LONGEST_MESSAGE = 5 * 1024;

/** Returns the name of a rule in messages. */
export const ruleName = ({ message = '', rule }: ValidationRule): string => (message === '' ? rule : message).trim();

/** Returns the message of a violated rule that has no expression for it. */
export const ruleMessage = (rule: ValidationRule): string =>
  (rule.message ?? '') === '' ? `failed rule: ${ruleName(rule)}` : (rule.message as string).trim();

/** A computed message; or that no more rules may run, and why. */
type MadeMessage =
  | { readonly text: string | undefined; readonly cost: number; readonly stop?: undefined }
  | { readonly stop: string };

/** Computes the message of a rule; without a text if the result is unusable. */
export function makeMessage(
  program: Program,
  source: string,
  bindings: Activation,
  budget: { readonly left: number; readonly effort: EvaluationBudget },
): MadeMessage {
  const limit = Math.min(PER_CALL_LIMIT, budget.left);
  const { value, cost, exceeded } = program.evaluate(bindings, limit, budget.effort.ofOne());
  if (cost > budget.left)
    return {
      stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
    };
  if (exceeded)
    return {
      stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(source)}`,
    };
  if (value instanceof Failure || typeof value !== 'string') return { text: undefined, cost };
  const text = value.trim();
  const fits = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE;
  return { text: fits ? text : undefined, cost };
}
