import { MOST_PATTERN_STEPS, readingOf } from '@orch/schema';
import type { Prices } from '../cost/estimate.js';
import { dispatching, type Implementation, type LibraryFunction } from '../libraries/library.js';
import { WITH_PATTERN } from '../libraries/regex.js';
import { constantPattern } from '../libraries/regular-expressions.js';
import { type CallNode, type ComprehensionNode, type Expression, isBinding, type Literal } from '../syntax/ast.js';
import { Operator } from '../syntax/operators.js';
import type { Checked } from '../types/checker.js';
import { CONVERSIONS } from '../values/convert.js';
import { ValueList } from '../values/lists.js';
import { kinsOf, ValueMap } from '../values/maps.js';
import { OptionalValue } from '../values/optionals.js';
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
  partIfAny,
} from './plans.js';
import { type EvalStep, Run } from './run.js';

/** Thrown for expressions of the right types whose constants cannot be computed: `duration('1d')`. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

const LIST_COST = 10;
const MAP_COST = 30;
/** Functions that are folded when applied to constants. */
const FOLDED = new Set([...CONVERSIONS.keys(), 'dyn', 'type']);
/** Functions whose call, with several forms left, stops at the first failing argument, as in the reference. */
const GATHERED = new Set(['indexOf', 'lastIndexOf']);

/** Slots of the variables of the loops around a node, innermost first. */
interface Scope {
  readonly name: string;
  readonly place: number;
  /** Initializer of a variable that is set when it is first read. */
  readonly initial?: EvalStep;
  readonly outer: Scope | undefined;
}

/**
 * Compiles a checked expression to closures. Their costs are those of the reference (interpreter/planner.go,
 * runtimecost.go), so the plans follow its own.
 * @throws PlanError
 */
export function plan(checked: Checked, functions: ReadonlyMap<string, LibraryFunction>, prices: Prices): EvalStep {
  return new Planner(checked, functions, prices === 'later').plan(checked.root).step();
}

class Planner {
  #scope: Scope | undefined;
  #places = 0;
  #patternSteps = 0;
  /** Shared nodes, which are planned once. */
  readonly #shared = new Map<number, EvalStep>();

  constructor(
    private readonly checked: Checked,
    private readonly functions: ReadonlyMap<string, LibraryFunction>,
    private readonly isLater: boolean,
  ) {}

  plan(node: Expression): Plan {
    if (!this.checked.shared.has(node.id)) return this.#plan(node);
    let step = this.#shared.get(node.id);
    if (!step) {
      step = this.#plan(node).step();
      this.#shared.set(node.id, step);
    }
    return new Computed(step);
  }

  #plan(node: Expression): Plan {
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
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'message':
        throw new PlanError(`unknown type: ${node.name}`);
      case 'comprehension':
        return isBinding(node) ? this.#binding(node) : this.#comprehension(node);
    }
  }

  #ident(node: Expression): Plan {
    const reference = this.checked.references.get(node.id);
    if (reference?.kind === 'type') return new Constant(new TypeValue(nameOfType(reference.type) ?? reference.name));
    const name = reference?.name ?? '';
    for (let scope = this.#scope; scope; scope = scope.outer) {
      if (scope.name !== name) continue;
      const { place, initial } = scope;
      return new Attribute(initial ? readLazily(place, initial) : (run) => run.locals[place] as Value);
    }
    return new Attribute((run) => {
      const value = run.variables.get(name);
      return value === undefined ? new Failure(`no such attribute: ${name}`) : value;
    });
  }

  #select(node: Extract<Expression, { kind: 'select' }>): Plan {
    if (this.checked.references.has(node.id)) return this.#ident(node);
    const operand = this.plan(node.operand);
    if (node.testOnly) return new Computed(testing(operand.step(), node.field, this.isLater ? -1 : 0));
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
        return this.#index(plans, false);
      case Operator.optionalSelect:
      case Operator.optionalIndex:
        return this.#index(plans, true);
      case 'or':
        return new Computed(firstOptional(plans, (optional) => optional));
      case 'orValue':
        return new Computed(firstOptional(plans, ({ value }) => value as Value));
    }
    return this.#function(reference.name, reference.overloads, plans);
  }

  #conditional([condition, yes, no]: readonly Plan[]): Plan {
    return new Conditional(condition as Plan, attributeOf(yes as Plan), attributeOf(no as Plan));
  }

  #index([operand, index]: readonly Plan[], isOptional: boolean): Plan {
    const attribute = attributeOf(operand as Plan);
    if (!(index instanceof Constant)) {
      const key = index instanceof Attribute ? index.resolver() : (index as Computed).step();
      attribute.add(computedQualifier(key, isOptional));
      return attribute;
    }
    if (!isIndex(index.value)) throw new PlanError('invalid qualifier type');
    attribute.add(constantQualifier(index.value, isOptional));
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
    const endsAtFailure = isRead || (form === '' && GATHERED.has(name));
    const call = calling(what, plans, priced, endsAtFailure);
    if (!FOLDED.has(name) || !(plans[0] instanceof Constant)) return new Computed(call);
    const value = call(new Run(new Map(), Number.POSITIVE_INFINITY));
    if (value instanceof Failure) throw new PlanError(value.message);
    return new Constant(value);
  }

  /** Returns a call's implementation, with constant patterns compiled beforehand. */
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
    // All patterns of an expression may have as many steps as a single one; patterns that are values count as effort.
    this.#patternSteps += readingOf(pattern, MOST_PATTERN_STEPS);
    if (this.#patternSteps > MOST_PATTERN_STEPS)
      throw new PlanError(`patterns take more than ${MOST_PATTERN_STEPS} steps to read`);
    const compiled = constantPattern(pattern);
    if (compiled instanceof Failure) throw new PlanError(compiled.message);
    // Held during a step, however many others are parsed in it; else each value might parse all of them.
    let held = new WeakRef(compiled);
    return (text, _, most) => {
      if (typeof text !== 'string') return failureOr(text as Value);
      const again = held.deref() ?? constantPattern(pattern);
      if (again instanceof Failure) return again;
      if (again !== held.deref()) held = new WeakRef(again);
      return use(again, text, most);
    };
  }

  #list({ elements, optional }: Extract<Expression, { kind: 'list' }>): Plan {
    const plans = elements.map((element) => this.plan(element));
    if (optional)
      return new Computed(
        listOfSome(
          plans.map((plan) => plan.step()),
          optional,
        ),
      );
    if (plans.every((plan) => plan instanceof Constant))
      return new Constant(new ValueList(plans.map(({ value }) => value)));
    const steps = plans.map((plan) => plan.step());
    return new Computed((run) => {
      const values = collected(run, steps);
      run.charge(LIST_COST);
      return values instanceof Failure ? values : new ValueList(values);
    });
  }

  #map({ entries }: Extract<Expression, { kind: 'map' }>): Plan {
    const plans = entries.flatMap(({ key, value }) => [this.plan(key), this.plan(value)]);
    if (entries.some(({ isOptional }) => isOptional))
      return new Computed(
        mapOfSome(
          plans.map((plan) => plan.step()),
          entries.map(({ isOptional }) => isOptional),
        ),
      );
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

  /** A named value, computed on first use. */
  #binding(node: ComprehensionNode): Plan {
    const initial = this.plan(node.initial).step();
    const outer = this.#scope;
    const place = this.#places++;
    this.#scope = { name: node.accumulator, place, initial, outer };
    const result = this.plan(node.result).step();
    this.#scope = outer;
    return new Computed((run) => {
      run.locals[place] = undefined;
      return result(run);
    });
  }

  #comprehension(node: ComprehensionNode): Plan {
    const initial = this.plan(node.initial).step();
    const range = this.plan(node.range).step();
    const outer = this.#scope;
    const holding: Scope = { name: node.accumulator, place: this.#places++, outer };
    this.#scope = { name: node.variable, place: this.#places++, outer: holding };
    const variable = this.#scope.place;
    if (node.second !== undefined) this.#scope = { name: node.second, place: this.#places++, outer: this.#scope };
    const second = node.second === undefined ? undefined : this.#scope.place;
    const condition = this.plan(node.condition).step();
    const step = this.plan(node.step).step();
    this.#scope = holding;
    const result = this.plan(node.result).step();
    this.#scope = outer;
    const places = { accumulator: holding.place, variable, second };
    return new Computed(looping({ range, initial, condition, step, result, ...places }));
  }
}

/** Whether a call has a precompiled pattern. */
const hasReadPattern = (name: string, [, pattern]: readonly Plan[]): boolean =>
  WITH_PATTERN.has(name) && pattern instanceof Constant && typeof pattern.value === 'string';

/** Returns the forms that the check left. */
const formsOf = ({ forms }: LibraryFunction, overloads: readonly string[]) =>
  forms.filter(({ id }) => overloads.includes(id));

function literalValue(literal: Literal): Value {
  if (literal.type === 'null') return null;
  return literal.type === 'uint' ? new Uint(literal.value) : literal.value;
}

function collected(run: Run, steps: readonly EvalStep[]): Value[] | Failure {
  const values: Value[] = [];
  for (const step of steps) {
    const value = step(run);
    if (value instanceof Failure) return value;
    values.push(value);
  }
  return values;
}

const readLazily =
  (place: number, initial: EvalStep): EvalStep =>
  (run) => {
    const value = run.locals[place] ?? initial(run);
    run.locals[place] = value;
    return value;
  };

/** `a.or(b)` and `a.orValue(b)`: the second is evaluated only if the first has no value. */
function firstOptional([left, right]: readonly Plan[], taken: (optional: OptionalValue) => Value): EvalStep {
  const [first, second] = [(left as Plan).step(), (right as Plan).step()];
  return (run) => {
    const optional = first(run);
    if (!(optional instanceof OptionalValue)) return optional;
    return optional.value === undefined ? second(run) : taken(optional);
  };
}

/** A list in which some members are present only if their optionals have values. */
function listOfSome(steps: readonly EvalStep[], optional: ReadonlySet<number>): EvalStep {
  return (run) => {
    const values = collected(run, steps);
    run.charge(LIST_COST);
    if (values instanceof Failure) return values;
    const there: Value[] = [];
    for (const [i, value] of values.entries()) {
      if (!optional.has(i)) there.push(value);
      else if (!(value instanceof OptionalValue))
        return new Failure(`cannot initialize optional list element from non-optional value ${shownValue(value)}`);
      else if (value.value !== undefined) there.push(value.value);
    }
    return new ValueList(there);
  };
}

/** A map in which some members are present only if their optionals have values. @param steps of keys, values in turn */
function mapOfSome(steps: readonly EvalStep[], optional: readonly boolean[]): EvalStep {
  return (run) => {
    const values = collected(run, steps);
    run.charge(MAP_COST);
    if (values instanceof Failure) return values;
    const entries = new Map<Value, Value>();
    for (const [i, isOptional] of optional.entries()) {
      const [key, value] = values.slice(2 * i, 2 * i + 2) as [Value, Value];
      if (!isOptional) entries.set(key, value);
      else if (!(value instanceof OptionalValue))
        return new Failure(
          `cannot initialize optional entry '${shownValue(key)}' from non-optional value ${shownValue(value)}`,
        );
      else if (value.value === undefined) entries.delete(key);
      else entries.set(key, value.value);
    }
    return new ValueMap(entries);
  };
}

const shownValue = (value: Value): string => (value instanceof Uint ? String(value.value) : String(value));

/** `has(operand.field)`. @param cost beside that of the operand, if that has no parts */
function testing(operand: EvalStep, field: string, cost: number): EvalStep {
  return (run) => {
    const value = operand(run);
    if (value instanceof OptionalValue) {
      const found = value.value === undefined ? undefined : partIfAny(value.value, field);
      if (found === undefined) run.charge(cost);
      return found instanceof Failure ? found : found !== undefined;
    }
    if (value instanceof Dictionary) {
      const found = value.find(field);
      return found instanceof Failure ? found : found !== undefined;
    }
    if (value instanceof List) return value.contains(field, run.effort);
    if (value instanceof Failure) run.charge(cost);
    return failureOr(value, 'invalid type for field selection.');
  };
}

/** `&&` and `||`: either side may decide alone, even if the other fails. */
function bothSides([left, right]: readonly Plan[], decisive: boolean): EvalStep {
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

/** `x in [1, 2]` of constants, which is free; undefined for other lists. */
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
    // Whole numbers are equal across the number types.
    if (typeof key === 'bigint' || key instanceof Uint)
      keys.push([Number(key instanceof Uint ? key.value : key), true]);
  }
  const set = new ValueMap(keys);
  const step = (element as Plan).step();
  // A failure is in no list: the reference of release 1.27 answers false, and so accepts what a failure would refuse.
  return new Computed((run) => set.find(step(run)) !== undefined);
}
