import { type DeclaredSizes, estimate } from './cost/estimate.js';
import { MAX } from './cost/range.js';
import { plan } from './evaluation/planner.js';
import { type Bindings, isTooMuch, Run, type Step } from './evaluation/run.js';
import { AUTHORIZATION_LIBRARY } from './libraries/authorization.js';
import type { Library, LibraryFunction } from './libraries/library.js';
import { LISTS_LIBRARY } from './libraries/lists.js';
import { NETWORK_LIBRARY } from './libraries/network.js';
import { QUANTITY_LIBRARY } from './libraries/quantity.js';
import { REGEX_LIBRARY } from './libraries/regex.js';
import { SETS_LIBRARY } from './libraries/sets.js';
import { STANDARD_LIBRARY } from './libraries/standard.js';
import { STANDARD_TYPES } from './libraries/standard-declarations.js';
import { STRINGS_LIBRARY } from './libraries/strings.js';
import { URLS_LIBRARY } from './libraries/urls.js';
import { type Parsed, parse } from './syntax/parser.js';
import { type Checked, type CheckOptions, check } from './types/checker.js';
import type { Declarations, Scope } from './types/declarations.js';
import type { Type } from './types/type.js';
import { type Effort, Failure, type Value } from './values/value.js';

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
const LATER: readonly Library[] = [QUANTITY_LIBRARY, NETWORK_LIBRARY, SETS_LIBRARY];

/** What an evaluation came to. */
export interface Outcome {
  /** The value; a {@link Failure} where there is none. */
  readonly value: Value;
  /** What it cost, in units of the reference; also where it failed. */
  readonly cost: number;
  /** It was ended because it cost more than it may. */
  readonly exceeded: boolean;
}

/** What failures say that come of an evaluation that cost too much. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

/** How an environment differs from that of validation rules. */
export interface EnvironmentOptions extends Partial<CheckOptions> {
  /** Functions beside those of release 1.27. */
  readonly libraries?: readonly Library[];
}

/** Functions and types that expressions may name; immutable and meant to be shared. */
export class Environment {
  readonly #functions: ReadonlyMap<string, LibraryFunction>;
  readonly #declarations: Declarations;
  readonly #options: CheckOptions;

  /** @param options by default those of validation rules of release 1.27 */
  constructor(options: EnvironmentOptions = {}) {
    this.#functions = merged([...BASE, ...(options.libraries ?? [])]);
    const functions = new Map([...this.#functions].map(([name, { forms }]) => [name, forms]));
    this.#declarations = { functions, typeNames: STANDARD_TYPES };
    this.#options = {
      homogeneousLiterals: options.homogeneousLiterals ?? true,
      crossTypeComparisons: options.crossTypeComparisons ?? false,
    };
  }

  /**
   * Reads and checks an expression.
   * @param scope the variables that it may name
   * @throws ExpressionError with all that is wrong with its form and its types
   */
  compile(text: string, scope: Scope): Expression {
    return this.check(parse(text), scope);
  }

  /**
   * Checks an expression that was read.
   * @throws ExpressionError with all that is wrong with its types
   */
  check(parsed: Parsed, scope: Scope): Expression {
    return new Expression(check(parsed, this.#declarations, scope, this.#options), this.#functions);
  }
}

/** An expression that was read and checked. */
export class Expression {
  constructor(
    private readonly checked: Checked,
    private readonly functions: ReadonlyMap<string, LibraryFunction>,
  ) {}

  /** Type of its value. */
  get type(): Type {
    return this.checked.type;
  }

  /** Whether it names a variable. */
  names(variable: string): boolean {
    for (const reference of this.checked.references.values())
      if (reference.kind === 'variable' && reference.name === variable) return true;
    return false;
  }

  /** The most that it can cost, up to 2^64-1. */
  maxCost(sizes: DeclaredSizes): bigint {
    const { max } = estimate(this.checked, sizes);
    return max > MAX ? MAX : max;
  }

  /** Makes it ready to run. @throws PlanError where a constant of it cannot be computed */
  program(): Program {
    return new Program(plan(this.checked, this.functions));
  }
}

/** An expression that can be run, any number of times. */
export class Program {
  constructor(private readonly step: Step) {}

  /**
   * Runs it.
   * @param bindings values of the variables; one that is missing fails where it is used
   * @param limit what it may cost; default without limit
   * @param effort what it may take beside that, also shared with other runs; default a budget of its own
   */
  evaluate(bindings: Bindings, limit = Number.POSITIVE_INFINITY, effort?: Effort): Outcome {
    const run = new Run(bindings, limit, effort);
    try {
      return { value: this.step(run), cost: run.cost, exceeded: false };
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return { value: new Failure(COST_EXCEEDED), cost: run.cost, exceeded: true };
    }
  }
}

/** What rules may name in release 1.27. */
export const BASE_ENVIRONMENT = new Environment();
/** The same with what came later: quantities, addresses, sets, and comparisons of numbers of different types. */
export const LATER_ENVIRONMENT = new Environment({ libraries: LATER, crossTypeComparisons: true });

/** Functions by name; those of several libraries have the forms of all. */
function merged(libraries: readonly Library[]): Map<string, LibraryFunction> {
  const functions = new Map<string, LibraryFunction>();
  for (const definition of libraries.flat()) {
    const known = functions.get(definition.name);
    functions.set(definition.name, known ? { ...known, forms: [...known.forms, ...definition.forms] } : definition);
  }
  return functions;
}
