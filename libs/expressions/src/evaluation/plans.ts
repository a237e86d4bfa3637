import { Dictionary, Failure, failureOr, List, typeNameOf, Uint, type Value } from '../values/value.js';
import type { Run, Step } from './run.js';

/** A part of an expression before it is made ready to run: what surrounds it may still change it. */
export type Plan = Constant | Attribute | Computed;

/** A value that is known. */
export class Constant {
  constructor(readonly value: Value) {}

  step(): Step {
    const { value } = this;
    return () => value;
  }
}

/** Something that is computed, which charges for itself. */
export class Computed {
  constructor(private readonly compute: Step) {}

  step(): Step {
    return this.compute;
  }
}

/** Takes a part of a value, for 1 unit. */
export type Qualifier = (run: Run, value: Value) => Value;

/**
 * A variable or a computed value, and the parts of parts that are taken of it. The whole costs 1 unit, which is not charged
 * where the reference takes it apart: as a branch of `?:`, as an index.
 */
export class Attribute {
  protected readonly qualifiers: Qualifier[] = [];

  constructor(private readonly base: Step) {}

  /** Takes a part of what it is so far. */
  add(qualifier: Qualifier): void {
    this.qualifiers.push(qualifier);
  }

  /** Without the unit for the whole. */
  resolver(): Step {
    const { base, qualifiers } = this;
    if (qualifiers.length === 0) return base;
    return (run) => {
      let value = base(run);
      for (const qualify of qualifiers) {
        if (value instanceof Failure) return value;
        value = qualify(run, value);
      }
      return value;
    };
  }

  step(): Step {
    const resolve = this.resolver();
    return (run) => {
      const value = resolve(run);
      run.charge(1);
      return value;
    };
  }
}

/** `condition ? yes : no`, which costs nothing itself, and of whose branches parts are taken. */
export class Conditional extends Attribute {
  constructor(
    private readonly condition: Plan,
    private readonly yes: Attribute,
    private readonly no: Attribute,
  ) {
    super(() => null);
  }

  override add(qualifier: Qualifier): void {
    this.yes.add(qualifier);
    this.no.add(qualifier);
  }

  override resolver(): Step {
    const [condition, yes, no] = [this.condition.step(), this.yes.resolver(), this.no.resolver()];
    return (run) => {
      const holds = condition(run);
      if (holds === true) return yes(run);
      return holds === false ? no(run) : failureOr(holds);
    };
  }

  override step(): Step {
    return this.resolver();
  }
}

/** What a plan is for those who take parts of it, or make it a branch. */
export const attributeOf = (plan: Plan): Attribute => (plan instanceof Attribute ? plan : new Attribute(plan.step()));

/** Whether a value can be an index. */
export const isIndex = (key: Value): boolean =>
  typeof key === 'string' ||
  typeof key === 'bigint' ||
  typeof key === 'boolean' ||
  typeof key === 'number' ||
  key instanceof Uint;

/** A key as messages show it. */
const shown = (key: Value): string => (key instanceof Uint ? String(key.value) : String(key));

/** The part of a value that a key names, or why there is none. */
export function part(value: Value, key: Value): Value {
  if (value instanceof Dictionary) {
    const found = value.find(key);
    return found === undefined ? new Failure(`no such key: ${shown(key)}`) : found;
  }
  if (value instanceof List) return value.get(key);
  return value instanceof Failure ? value : new Failure(`no such key: ${shown(key)}`);
}

/** Takes the part that a known key names. */
export const constantQualifier =
  (key: Value): Qualifier =>
  (run, value) => {
    const found = part(value, key);
    run.charge(1);
    return found;
  };

/** Takes the part that a computed key names. */
export const computedQualifier =
  (index: Step): Qualifier =>
  (run, value) => {
    const key = index(run);
    const found = key instanceof Failure ? key : checkedPart(value, key);
    run.charge(1);
    return found;
  };

const checkedPart = (value: Value, key: Value): Value =>
  isIndex(key) ? part(value, key) : new Failure(`invalid qualifier type: ${typeNameOf(key)}`);
