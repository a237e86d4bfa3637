import { type DeclaredSizes, estimate, type Prices } from './cost/estimate.js';
import { MAX } from './cost/range.js';
import { plan } from './evaluation/planner.js';
import { type Activation, type EvalStep, isTooMuch, Run } from './evaluation/run.js';
import { AUTHORIZATION_LIBRARY } from './libraries/authorization.js';
import { FORMATS_LIBRARY } from './libraries/formats.js';
import { GATHERING_LIBRARY } from './libraries/gathering.js';
import type { Library, LibraryFunction } from './libraries/library.js';
import { LISTS_LIBRARY } from './libraries/lists.js';
import { NETWORK_LIBRARY } from './libraries/network.js';
import { OPTIONALS_LIBRARY } from './libraries/optionals.js';
import { QUANTITY_LIBRARY } from './libraries/quantity.js';
import { REGEX_LIBRARY } from './libraries/regex.js';
import { SEMVER_LIBRARY } from './libraries/semver.js';
import { SETS_LIBRARY } from './libraries/sets.js';
import { STANDARD_LIBRARY } from './libraries/standard.js';
import { STANDARD_TYPES } from './libraries/standard-declarations.js';
import { STRINGS_LIBRARY } from './libraries/strings.js';
import { LATER_STRINGS_LIBRARY } from './libraries/strings-later.js';
import { URLS_LIBRARY } from './libraries/urls.js';
import { LATER_MACROS } from './syntax/later-macros.js';
import { BASE_GRAMMAR, type Grammar, type Parsed, parse } from './syntax/parser.js';
import { type Checked, type CheckOptions, check } from './types/checker.js';
import type { Declarations, Scope } from './types/declarations.js';
import { type CelType, OPTIONAL, optionalOf, paramOf } from './types/type.js';
import { type EvaluationBudget, Failure, type Value } from './values/value.js';

/** Libraries of release 1.27. */
const BASE: readonly Library[] = [
  STANDARD_LIBRARY,
  URLS_LIBRARY,
  REGEX_LIBRARY,
  LISTS_LIBRARY,
  AUTHORIZATION_LIBRARY,
  STRINGS_LIBRARY,
];

/** Libraries of releases after 1.27. */
const LATER: readonly Library[] = [
  QUANTITY_LIBRARY,
  NETWORK_LIBRARY,
  SETS_LIBRARY,
  OPTIONALS_LIBRARY,
  GATHERING_LIBRARY,
  LATER_STRINGS_LIBRARY,
  FORMATS_LIBRARY,
  SEMVER_LIBRARY,
];

/** Outcome of an evaluation. */
export interface Outcome {
  /** The value; a {@link Failure} after an error. */
  readonly value: Value;
  /** Cost in units of the reference; also after a failure. */
  readonly cost: number;
  /** Whether it was stopped because it exceeded the cost limit. */
  readonly exceeded: boolean;
}

/** Message of failures that exceed the cost limit. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/** Differences of an environment from that of validation rules. */
export interface EnvironmentOptions extends Partial<CheckOptions> {
  /** Functions beside those of release 1.27. */
  readonly libraries?: readonly Library[];
  /** Accepted syntax; default as in release 1.27. */
  readonly grammar?: Grammar;
  /** Types that can be named beside those of release 1.27. */
  readonly typeNames?: ReadonlyMap<string, CelType>;
  /** Release by which the maximum cost of an expression is estimated; default 1.27. */
  readonly prices?: Prices;
}

/** Functions and types for expressions; immutable and meant to be shared. */
export class Environment {
  readonly #functions: ReadonlyMap<string, LibraryFunction>;
  readonly #declarations: Declarations;
  readonly #options: CheckOptions;
  readonly #grammar: Grammar;
  readonly #prices: Prices;

  /** @param options by default those of validation rules of release 1.27 */
  constructor(options: EnvironmentOptions = {}) {
    this.#functions = merged([...BASE, ...(options.libraries ?? [])]);
    const functions = new Map([...this.#functions].map(([name, { forms }]) => [name, forms]));
    const typeNames = new Map([...STANDARD_TYPES, ...(options.typeNames ?? [])]);
    this.#declarations = { functions, typeNames };
    this.#grammar = options.grammar ?? BASE_GRAMMAR;
    this.#prices = options.prices ?? 'base';
    this.#options = {
      homogeneousLiterals: options.homogeneousLiterals ?? true,
      crossTypeComparisons: options.crossTypeComparisons ?? false,
    };
  }

  /**
   * Parses and checks an expression.
   * @param scope the variables that it may use
   * @throws ExpressionError with all syntax and type errors
   */
  compile(text: string, scope: Scope): CheckedExpression {
    return this.check(this.parse(text), scope);
  }

  /** Parses an expression. @throws ExpressionError with its syntax errors */
  parse(text: string): Parsed {
    return parse(text, this.#grammar);
  }

  /** Checks a parsed expression. @throws ExpressionError with all type errors */
  check(parsed: Parsed, scope: Scope): CheckedExpression {
    return new CheckedExpression(
      check(parsed, this.#declarations, scope, this.#options),
      this.#functions,
      this.#prices,
    );
  }
}

/** A parsed and checked expression. */
export class CheckedExpression {
  constructor(
    private readonly checked: Checked,
    private readonly functions: ReadonlyMap<string, LibraryFunction>,
    private readonly prices: Prices,
  ) {}

  /** Type of its value. */
  get type(): CelType {
    return this.checked.type;
  }

  /** Whether it uses a variable. */
  names(variable: string): boolean {
    for (const reference of this.checked.references.values())
      if (reference.kind === 'variable' && reference.name === variable) return true;
    return false;
  }

  /** The most that it can cost, up to 2^64-1. */
  maxCost(sizes: DeclaredSizes): bigint {
    const { max } = estimate(this.checked, sizes, this.prices);
    return max > MAX ? MAX : max;
  }

  /** Plans it for execution. @throws PlanError when one of its constants cannot be computed */
  program(): Program {
    return new Program(plan(this.checked, this.functions, this.prices));
  }
}

/** An executable expression, which can be run any number of times. */
export class Program {
  constructor(private readonly step: EvalStep) {}

  /**
   * Evaluates it.
   * @param bindings values of the variables; a missing one fails when it is used
   * @param limit of the cost; default none
   * @param effort budget beside that, may be shared with other runs; default one of its own
   */
  evaluate(bindings: Activation, limit = Number.POSITIVE_INFINITY, effort?: EvaluationBudget): Outcome {
    const run = new Run(bindings, limit, effort);
    try {
      return { value: this.step(run), cost: run.cost, exceeded: false };
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return { value: new Failure(COST_EXCEEDED), cost: run.cost, exceeded: true };
    }
  }
}

/** Functions and types that rules may use in release 1.27. */
export const BASE_ENVIRONMENT = new Environment();
/** Additions up to release 1.33. */
export const LATER_OPTIONS: EnvironmentOptions = {
  libraries: LATER,
  crossTypeComparisons: true,
  grammar: { optionals: true, macros: LATER_MACROS },
  typeNames: new Map([[OPTIONAL, optionalOf(paramOf('V'))]]),
  prices: 'later',
};
/** Same with later additions; a superset of the former. */
export const LATER_ENVIRONMENT = new Environment(LATER_OPTIONS);

/** Merges functions by name; those of several libraries have the forms of all. */
function merged(libraries: readonly Library[]): Map<string, LibraryFunction> {
  const functions = new Map<string, LibraryFunction>();
  for (const definition of libraries.flat()) {
    const known = functions.get(definition.name);
    functions.set(definition.name, known ? { ...known, forms: [...known.forms, ...definition.forms] } : definition);
  }
  return functions;
}
