import type { Outcome, Program } from '../environment.js';
import type { Activation } from '../evaluation/run.js';
import type { Scope } from '../types/declarations.js';
import { type CelType, DYN, listOf, mapOf, objectOf } from '../types/type.js';
import { Dictionary, Failure, type Value } from '../values/value.js';
import { type AdmissionProgram, PER_EXPRESSION_LIMIT } from './admission-program.js';
import type { AskedAuthorizer } from './asked-authorizer.js';

/** Name of the variable that holds the variables of a policy: `variables.NAME`. */
export const COMPOSED_VARIABLE = 'variables';
const COMPOSED_TYPE = 'kubernetes.variables';
/** Units that variables may cost together before other work runs: some 15 ms. */
const TURN_COST = 100_000;
/** Maximum nesting of variables computed within one another; deeper ones are computed first. */
const DEEPEST = 8;

/**
 * A scope that also has the variables of a policy, by their types. @param types of the known ones; may grow as they are
 * compiled
 */
export const composedScope = (scope: Scope, types: ReadonlyMap<string, CelType>): Scope => ({
  variables: new Map([...scope.variables, [COMPOSED_VARIABLE, objectOf(COMPOSED_TYPE)]]),
  fieldType: (object, field) => (object === COMPOSED_TYPE ? types.get(field) : scope.fieldType(object, field)),
  hasType: (object) => object === COMPOSED_TYPE || scope.hasType(object),
});

/**
 * Returns the type of a variable for other expressions: without its fields, as in the reference (k8s.io/apiserver,
 * pkg/admission/plugin/cel/composition.go).
 */
export function composedType(type: CelType | undefined): CelType {
  switch (type?.kind) {
    case 'primitive':
    case 'null':
    case 'timestamp':
    case 'duration':
      return type;
    case 'list':
      return listOf(composedType(type.element));
    case 'map':
      return mapOf(composedType(type.key), composedType(type.value));
    default:
      return DYN;
  }
}

/** A variable of a policy. */
export interface ComposedVariable {
  /** Index among the variables: it can use earlier ones. */
  readonly place: number;
  /** Compiled form, or its error. */
  readonly compiled: AdmissionProgram;
}

/**
 * The variables of a policy for one request. Each is computed on first use, and once. One that is read too late in a
 * turn of the event loop, or too deep in others, is deferred: its reader fails for now, and must be run again when all
 * is {@link settle settled}.
 */
export class ComposedValues extends Dictionary {
  readonly #settled = new Map<string, Value>();
  #due: string | undefined;
  /** Index of the variable that is being computed. */
  #within = Number.POSITIVE_INFINITY;
  #depth = 0;
  #turnCost = 0;
  #cost = 0;

  /**
   * @param variables by name
   * @param bindings for the variables; this object is bound there as {@link COMPOSED_VARIABLE}
   * @param asked their authorizer; a value that waits for an answer is not kept
   */
  constructor(
    private readonly variables: ReadonlyMap<string, ComposedVariable>,
    private readonly bindings: Activation,
    private readonly asked: AskedAuthorizer,
  ) {
    super();
  }

  override get size(): number {
    return this.variables.size;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const variable = this.variables.get(key);
    if (!variable || variable.place >= this.#within) return undefined;
    const known = this.#settled.get(key);
    return known === undefined ? this.#compute(key, variable) : known;
  }

  override keys(): Value[] {
    return [...this.variables.keys()];
  }

  override equals(other: Value): boolean {
    return other === this;
  }

  /** Returns the units that variables have cost since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  /**
   * Computes deferred variables, if there are any.
   * @param turn lets other work run
   * @param most units that this may cost, beyond which it is given up
   * @returns whether the reader must be run again
   */
  async settle(turn: () => Promise<void> | undefined, most: number): Promise<boolean> {
    if (this.#due === undefined) return false;
    // A stack of dependencies: the last is computed first, and then its dependent, so that each is run at most twice
    // per level.
    const waiting: string[] = [this.#due];
    for (let name = waiting.at(-1); name !== undefined && this.#cost <= most; name = waiting.at(-1)) {
      const due = name;
      await turn();
      await this.asked.settled(() => {
        this.#due = undefined;
        this.#turnCost = 0;
        return this.find(due);
      });
      if (this.#due === undefined) waiting.pop();
      else waiting.push(this.#due);
    }
    return true;
  }

  #compute(name: string, { place, compiled: { program, fault } }: ComposedVariable): Value {
    const told = (what: string) => new Failure(`composited variable "${name}" ${what}`);
    if (program === undefined) return told(`fails to compile: ${fault}`);
    if (this.#turnCost >= TURN_COST || this.#depth >= DEEPEST) {
      this.#due ??= name;
      return told('is not computed yet');
    }
    const { value, cost } = this.#evaluated(program, place);
    this.#turnCost += cost;
    const result = value instanceof Failure ? told(`fails to evaluate: ${value.message}`) : value;
    if (this.asked.isOpen) return result;
    this.#cost += cost;
    if (this.#due === undefined) this.#settled.set(name, result);
    return result;
  }

  #evaluated(program: Program, place: number): Outcome {
    const outer = this.#within;
    this.#within = place;
    this.#depth++;
    const outcome = program.evaluate(this.bindings, PER_EXPRESSION_LIMIT);
    this.#depth--;
    this.#within = outer;
    return outcome;
  }
}
