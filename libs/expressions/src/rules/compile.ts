import { BASE_ENVIRONMENT, type Environment, type Program } from '../environment.js';
import { PlanError } from '../evaluation/planner.js';
import { type DeclaredType, MAX_REQUEST_BYTES, scopeOf, sizesOf } from '../schema-types/declared-type.js';
import type { ValidationRule } from '../schema-types/structural-schema.js';
import { ExpressionError } from '../syntax/issues.js';

/** Name of the type of `self` in messages. */
export const SELF_TYPE = 'selfType';
/** Units that one rule may cost at run time. */
export const PER_CALL_LIMIT = 1_000_000;

/** An expression of a rule that can be run, or what is wrong with it. */
export type CompiledExpression =
  | { readonly program: Program; readonly maxCost: bigint; readonly error?: undefined }
  | { readonly error: string; readonly program?: undefined };

/** A rule, ready to run. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for a rule without text, which nothing is asked of. */
  readonly test: CompiledExpression | undefined;
  /** It speaks of the value before, and is not run where there is none. */
  readonly isTransition: boolean;
  /** What makes its message; undefined where it has none, or where the rule itself is wrong. */
  readonly message: CompiledExpression | undefined;
}

/** Variables of rules; `rule` the reference declares and never sets. */
const VARIABLES = ['self', 'oldSelf', 'rule'];

/** Compiles the rules on one node of a schema; by default they may name what release 1.27 has. */
export function compileRules(
  rules: readonly ValidationRule[],
  declared: DeclaredType,
  environment: Environment = BASE_ENVIRONMENT,
): CompiledRule[] {
  const scope = scopeOf(declared, VARIABLES);
  const sizes = sizesOf(declared);
  const compile = (text: string, wanted: 'bool' | 'string', words: Words) => {
    try {
      const expression = environment.compile(text, scope);
      const isTransition = expression.names('oldSelf');
      if (expression.type.kind !== 'primitive' || expression.type.name !== wanted)
        return { compiled: { error: words.type }, isTransition: false };
      try {
        return { compiled: { program: expression.program(), maxCost: expression.maxCost(sizes) }, isTransition };
      } catch (error) {
        if (!(error instanceof PlanError)) throw error;
        return { compiled: { error: `${words.plan}: ${error.message}` }, isTransition };
      }
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { compiled: { error: `${words.compile}: ${error.message}` }, isTransition: false };
    }
  };
  return rules.map((rule) => {
    if (rule.rule.trim() === '') return { rule, test: undefined, isTransition: false, message: undefined };
    const { compiled, isTransition } = compile(rule.rule, 'bool', RULE);
    const { messageExpression = '' } = rule;
    const hasMessage = messageExpression !== '' && compiled.error === undefined;
    const message = hasMessage ? compile(messageExpression, 'string', MESSAGE).compiled : undefined;
    return { rule, test: compiled, isTransition, message };
  });
}

/** How faults are told. */
interface Words {
  readonly compile: string;
  readonly type: string;
  readonly plan: string;
}

const RULE: Words = {
  compile: 'compilation failed',
  type: 'cel expression must evaluate to a bool',
  plan: 'program instantiation failed',
};
const MESSAGE: Words = {
  compile: 'messageExpression compilation failed',
  type: 'messageExpression must evaluate to a string',
  plan: 'messageExpression instantiation failed',
};

/** How many values of a type fit into one request, which is how often a rule on it may run. */
export const maxCardinality = ({ minBytes }: DeclaredType): bigint =>
  BigInt(Math.trunc(MAX_REQUEST_BYTES / (minBytes + 1)));
