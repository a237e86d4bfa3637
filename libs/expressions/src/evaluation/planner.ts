import { weightOf } from '@orch/schema';
import { dispatching, type Implementation, type LibraryFunction } from '../libraries/library.js';
import { WITH_PATTERN } from '../libraries/regex.js';
import { compilePattern } from '../libraries/regular-expressions.js';
import type { CallNode, Expression, Literal } from '../syntax/ast.js';
import { Operator } from '../syntax/operators.js';
import type { Checked } from '../types/checker.js';
import { CONVERSIONS } from '../values/convert.js';
import { ValueList } from '../values/lists.js';
import { kinsOf, ValueMap } from '../values/maps.js';
import { Dictionary, Failure, failureOr, List, nameOfType, TypeValue, Uint, type Value } from '../values/value.js';
import { callCost } from './call-costs.js';
import { calling, readingPattern } from './calls.js';
import { looping } from './loops.js';
import {
  Attribute,
  attributeOf,
  Computed,
  Conditional,
  Constant,
  computedQualifier,
  constantQualifier,
  isIndex,
  type Plan,
} from './plans.js';
import { Run, type Step } from './run.js';

/** Thrown for expressions of the right types whose constants cannot be computed: `duration('1d')`. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

const LIST_COST = 10;
const MAP_COST = 30;
/** Steps that reading the patterns of one expression may take; those of patterns that are values count as effort. */
const MOST_PATTERN_STEPS = 20_000;
/** Functions of constants that are computed when an expression is read. */
const FOLDED = new Set([...CONVERSIONS.keys(), 'dyn', 'type']);

/** Places of the variables of the loops around a node, innermost first. */
interface Scope {
  readonly name: string;
  readonly place: number;
  readonly outer: Scope | undefined;
}

/**
 * Makes closures of a checked expression. What it costs to run them is that of the reference (interpreter/planner.go,
 * runtimecost.go), which is why plans follow its own.
 * @throws PlanError
 */
export function plan(checked: Checked, functions: ReadonlyMap<string, LibraryFunction>): Step {
  return new Planner(checked, functions).plan(checked.root).step();
}

class Planner {
  #scope: Scope | undefined;
  #places = 0;
  #patternSteps = 0;

  constructor(
    private readonly checked: Checked,
    private readonly functions: ReadonlyMap<string, LibraryFunction>,
  ) {}

  plan(node: Expression): Plan {
    switch (node.kind) {
      case 'literal':
        return new Constant(literalValue(node.literal));
      case 'ident':
        return this.#ident(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node.elements.map((element) => this.plan(element)));
      case 'map':
        return this.#map(node.entries.map(({ key, value }) => [this.plan(key), this.plan(value)] as const));
      case 'message':
        throw new PlanError(`unknown type: ${node.name}`);
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #ident(node: Expression): Plan {
    const reference = this.checked.references.get(node.id);
    if (reference?.kind === 'type') return new Constant(new TypeValue(nameOfType(reference.type) ?? reference.name));
    const name = reference?.name ?? '';
    for (let scope = this.#scope; scope; scope = scope.outer) {
      if (scope.name !== name) continue;
      const { place } = scope;
      return new Attribute((run) => run.locals[place] as Value);
    }
    return new Attribute((run) => {
      const value = run.variables.get(name);
      return value === undefined ? new Failure(`no such attribute: ${name}`) : value;
    });
  }

  #select(node: Extract<Expression, { kind: 'select' }>): Plan {
    if (this.checked.references.has(node.id)) return this.#ident(node);
    const operand = this.plan(node.operand);
    if (node.testOnly) return new Computed(testing(operand.step(), node.field));
    const attribute = attributeOf(operand);
    attribute.add(constantQualifier(node.field));
    return attribute;
  }

  #call(node: CallNode): Plan {
    const reference = this.checked.references.get(node.id);
    if (reference?.kind !== 'function') throw new PlanError(`no such overload: ${node.function}`);
    const args = reference.global ? node.args : [node.target as Expression, ...node.args];
    const plans = args.map((arg) => this.plan(arg));
    switch (reference.name) {
      case Operator.and:
        return new Computed(bothSides(plans, false));
      case Operator.or:
        return new Computed(bothSides(plans, true));
      case Operator.conditional:
        return this.#conditional(plans);
      case Operator.index:
        return this.#index(plans);
    }
    return this.#function(reference.name, reference.overloads, plans);
  }

  #conditional([condition, yes, no]: readonly Plan[]): Plan {
    return new Conditional(condition as Plan, attributeOf(yes as Plan), attributeOf(no as Plan));
  }

  #index([operand, index]: readonly Plan[]): Plan {
    const attribute = attributeOf(operand as Plan);
    if (!(index instanceof Constant)) {
      const key = index instanceof Attribute ? index.resolver() : (index as Computed).step();
      attribute.add(computedQualifier(key));
      return attribute;
    }
    if (!isIndex(index.value)) throw new PlanError('invalid qualifier type');
    attribute.add(constantQualifier(index.value));
    return attribute;
  }

  #function(name: string, overloads: readonly string[], plans: readonly Plan[]): Plan {
    const form = overloads.length === 1 ? (overloads[0] as string) : '';
    if (name === Operator.in && form === 'in_list') {
      const set = inConstants(plans);
      if (set) return set;
    }
    const what = this.#implementation(name, overloads, plans);
    const isRead = hasReadPattern(name, plans);
    const cost = callCost(name, form);
    const priced = cost && WITH_PATTERN.has(name) && !isRead ? readingPattern(cost) : cost;
    const call = calling(what, plans, priced, isRead);
    if (!FOLDED.has(name) || !(plans[0] instanceof Constant)) return new Computed(call);
    const value = call(new Run(new Map(), Number.POSITIVE_INFINITY));
    if (value instanceof Failure) throw new PlanError(value.message);
    return new Constant(value);
  }

  /** What a call does, with patterns that are known read before. */
  #implementation(
    name: string,
    overloads: readonly string[],
    plans: readonly Plan[],
  ): Implementation | 'equals' | 'differs' | 'in' {
    if (name === Operator.equals) return 'equals';
    if (name === Operator.notEquals) return 'differs';
    if (name === Operator.in) return 'in';
    const definition = this.functions.get(name) as LibraryFunction;
    const dispatch = dispatching(name, formsOf(definition, overloads), definition.any);
    const use = WITH_PATTERN.get(name);
    if (!use || !hasReadPattern(name, plans)) return dispatch;
    const pattern = (plans[1] as Constant).value as string;
    this.#patternSteps += weightOf(pattern);
    if (this.#patternSteps > MOST_PATTERN_STEPS)
      throw new PlanError(`patterns take more than ${MOST_PATTERN_STEPS} steps to read`);
    const compiled = compilePattern(pattern);
    if (compiled instanceof Failure) throw new PlanError(compiled.message);
    return (text, _, most) => (typeof text === 'string' ? use(compiled, text, most) : failureOr(text as Value));
  }

  #list(plans: readonly Plan[]): Plan {
    if (plans.every((plan) => plan instanceof Constant))
      return new Constant(new ValueList(plans.map(({ value }) => value)));
    const steps = plans.map((plan) => plan.step());
    return new Computed((run) => {
      const values = collected(run, steps);
      run.charge(LIST_COST);
      return values instanceof Failure ? values : new ValueList(values);
    });
  }

  #map(entries: readonly (readonly [Plan, Plan])[]): Plan {
    const plans = entries.flat();
    const make = (values: readonly Value[]) =>
      new ValueMap(entries.map((_, i) => [values[2 * i], values[2 * i + 1]] as [Value, Value]));
    if (plans.every((plan) => plan instanceof Constant)) return new Constant(make(plans.map(({ value }) => value)));
    const steps = plans.map((plan) => plan.step());
    return new Computed((run) => {
      const values = collected(run, steps);
      run.charge(MAP_COST);
      return values instanceof Failure ? values : make(values);
    });
  }

  #comprehension(node: Extract<Expression, { kind: 'comprehension' }>): Plan {
    const initial = this.plan(node.initial).step();
    const range = this.plan(node.range).step();
    const outer = this.#scope;
    const holding: Scope = { name: node.accumulator, place: this.#places++, outer };
    this.#scope = { name: node.variable, place: this.#places++, outer: holding };
    const variable = this.#scope.place;
    const condition = this.plan(node.condition).step();
    const step = this.plan(node.step).step();
    this.#scope = holding;
    const result = this.plan(node.result).step();
    this.#scope = outer;
    return new Computed(looping({ range, initial, condition, step, result, accumulator: holding.place, variable }));
  }
}

/** Whether a call has a pattern that is read before. */
const hasReadPattern = (name: string, [, pattern]: readonly Plan[]): boolean =>
  WITH_PATTERN.has(name) && pattern instanceof Constant && typeof pattern.value === 'string';

/** The forms that the check left. */
const formsOf = ({ forms }: LibraryFunction, overloads: readonly string[]) =>
  forms.filter(({ id }) => overloads.includes(id));

function literalValue(literal: Literal): Value {
  if (literal.type === 'null') return null;
  return literal.type === 'uint' ? new Uint(literal.value) : literal.value;
}

function collected(run: Run, steps: readonly Step[]): Value[] | Failure {
  const values: Value[] = [];
  for (const step of steps) {
    const value = step(run);
    if (value instanceof Failure) return value;
    values.push(value);
  }
  return values;
}

/** `has(operand.field)`. */
function testing(operand: Step, field: string): Step {
  return (run) => {
    const value = operand(run);
    if (value instanceof Dictionary) {
      const found = value.find(field);
      return found instanceof Failure ? found : found !== undefined;
    }
    if (value instanceof List) return value.contains(field, run.effort);
    return failureOr(value, 'invalid type for field selection.');
  };
}

/** `&&` and `||`: either side may decide alone, also where the other fails. */
function bothSides([left, right]: readonly Plan[], decisive: boolean): Step {
  const [a, b] = [(left as Plan).step(), (right as Plan).step()];
  return (run) => {
    const first = a(run);
    if (first === decisive) return decisive;
    const second = b(run);
    if (second === decisive) return decisive;
    if (first instanceof Failure) return first;
    if (typeof first === 'boolean' && typeof second === 'boolean') return !decisive;
    return failureOr(second);
  };
}

/** `x in [1, 2]` of constants, which costs nothing; undefined for lists of other things. */
function inConstants([element, list]: readonly Plan[]): Plan | undefined {
  if (!(list instanceof Constant) || !(list.value instanceof List)) return undefined;
  const { value } = list;
  if (value.size === 0) return new Constant(false);
  const keys: [Value, Value][] = [];
  for (let i = 0; i < value.size; i++) {
    const key = value.at(i);
    if (!isIndex(key)) return undefined;
    keys.push([key, true]);
    for (const kin of kinsOf(key)) keys.push([kin, true]);
    // Whole numbers are the same in each type of numbers.
    if (typeof key === 'bigint' || key instanceof Uint)
      keys.push([Number(key instanceof Uint ? key.value : key), true]);
  }
  const set = new ValueMap(keys);
  const step = (element as Plan).step();
  // What fails is in no list: the reference of release 1.27 answers false here, and so accepts what a failure would refuse.
  return new Computed((run) => set.find(step(run)) !== undefined);
}
