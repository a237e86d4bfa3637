import type { DeclaredSizes } from '../cost/estimate.js';
import { BASE_ENVIRONMENT, type CheckedExpression, type Environment, type Program } from '../environment.js';
import { PlanError } from '../evaluation/planner.js';
import { type DeclaredType, MAX_REQUEST_BYTES, scopeOf, sizesOf } from '../schema-types/declared-type.js';
import type { ValidationRule } from '../schema-types/structural-schema.js';
import { ExpressionError } from '../syntax/issues.js';
import type { Scope } from '../types/declarations.js';
import { type CelType, optionalOf } from '../types/type.js';

/** Name of the type of `self` in messages. */
const SELF_TYPE = 'selfType';
/** Units that one rule may cost at run time. */
export const PER_CALL_LIMIT = 1_000_000;

/** A compiled expression of a rule, or its error. */
export type CompiledExpression =
  | { readonly program: Program; readonly maxCost: bigint; readonly error?: undefined }
  | { readonly error: string; readonly program?: undefined };

/** A compiled rule. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for a rule without text, which is always met. */
  readonly test: CompiledExpression | undefined;
  /** Whether it uses the old value, and is not run if there is none. */
  readonly isTransition: boolean;
  /** Expression for its message; undefined if it has none, or if the rule itself is invalid. */
  readonly message: CompiledExpression | undefined;
}

/** Variables of rules; the reference declares `rule` and never sets it. */
const OLD_SELF = 'oldSelf';
const VARIABLES = ['self', OLD_SELF, 'rule'];

/** Returns the environment of an expression, by its text: a stored one may use more than a new one. */
export type EnvironmentOf = (expression: string) => Environment;

/** Compiles the rules of one node of a schema, each on its own. */
export class RuleCompiler {
  readonly #scope: Scope;
  readonly #optional: Scope;
  readonly #environmentOf: EnvironmentOf;
  readonly #sizes: DeclaredSizes;

  /** @param environment of the rules, or of each by its text; default that of release 1.27 */
  constructor(declared: DeclaredType, environment: Environment | EnvironmentOf = BASE_ENVIRONMENT) {
    this.#environmentOf = typeof environment === 'function' ? environment : () => environment;
    this.#scope = scopeOf(declared, VARIABLES, SELF_TYPE);
    const variables = new Map(this.#scope.variables);
    variables.set(OLD_SELF, optionalOf(variables.get(OLD_SELF) as CelType));
    this.#optional = { ...this.#scope, variables };
    this.#sizes = sizesOf(declared);
  }

  /** Compiles a rule with its message; errors are part of the result. */
  compile(rule: ValidationRule): CompiledRule {
    const steps = this.steps(rule);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /** Same in steps; a long expression may take one of its own. */
  *steps(rule: ValidationRule): Generator<void, CompiledRule> {
    if (rule.rule.trim() === '') return { rule, test: undefined, isTransition: false, message: undefined };
    const scope = rule.optionalOldSelf ? this.#optional : this.#scope;
    const { compiled, isTransition } = yield* this.#expression(rule.rule, 'bool', RULE, scope);
    const { messageExpression = '' } = rule;
    const hasMessage = messageExpression !== '' && compiled.error === undefined;
    const message = hasMessage
      ? (yield* this.#expression(messageExpression, 'string', MESSAGE, scope)).compiled
      : undefined;
    return { rule, test: compiled, isTransition, message };
  }

  *#expression(
    text: string,
    wanted: 'bool' | 'string',
    words: Words,
    scope: Scope,
  ): Generator<void, { readonly compiled: CompiledExpression; readonly isTransition: boolean }> {
    try {
      const environment = this.#environmentOf(text);
      const parsed = environment.parse(text);
      yield;
      const expression = environment.check(parsed, scope);
      yield;
      if (expression.type.kind !== 'primitive' || expression.type.name !== wanted)
        return { compiled: { error: words.type }, isTransition: false };
      const isTransition = expression.names(OLD_SELF);
      return { compiled: yield* this.#program(expression, words), isTransition };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { compiled: { error: `${words.compile}: ${error.message}` }, isTransition: false };
    }
  }

  *#program(expression: CheckedExpression, words: Words): Generator<void, CompiledExpression> {
    try {
      const program = expression.program();
      yield;
      const maxCost = expression.maxCost(this.#sizes);
      yield;
      return { program, maxCost };
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      return { error: `${words.plan}: ${error.message}` };
    }
  }
}

/** Wording of faults. */
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

/** Returns how many values of a type fit into one request, which limits how often a rule on it may run. */
export const maxCardinality = ({ minBytes }: DeclaredType): bigint =>
  BigInt(Math.trunc(MAX_REQUEST_BYTES / (minBytes + 1)));
