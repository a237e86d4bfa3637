import { NONE, OptionalValue } from '../values/optionals.js';
import { Dictionary, Failure, failureOr, List, typeNameOf, Uint, type Value } from '../values/value.js';
import type { EvalStep, Run } from './run.js';

/** A part of an expression before it is executable: its context may still change it. */
export type Plan = Constant | Attribute | Computed;

/** A known value. */
export class Constant {
  constructor(readonly value: Value) {}

  step(): EvalStep {
    const { value } = this;
    return () => value;
  }
}

/** A computed value, which charges for itself. */
export class Computed {
  constructor(private readonly compute: EvalStep) {}

  step(): EvalStep {
    return this.compute;
  }
}

/** Selects a part of a value, for 1 unit. */
interface Qualifier {
  take(run: Run, value: Value): Value;
  /** Same, but undefined and free of charge if there is no such part. */
  find(run: Run, value: Value): Value | undefined;
  /** Whether the part may be absent. */
  readonly isOptional: boolean;
}

/**
 * A variable or a computed value, and the qualifiers selected from it. The whole costs 1 unit, which is not charged
 * where the reference takes it apart: as a branch of `?:`, as an index.
 */
export class Attribute {
  protected readonly qualifiers: Qualifier[] = [];

  constructor(private readonly base: EvalStep) {}

  /** Adds a qualifier. */
  add(qualifier: Qualifier): void {
    this.qualifiers.push(qualifier);
  }

  /** Resolves it without the unit for the whole. */
  resolver(): EvalStep {
    const { base, qualifiers } = this;
    if (qualifiers.length === 0) return base;
    return (run) => {
      let value = base(run);
      for (let i = 0; i < qualifiers.length; i++) {
        const qualifier = qualifiers[i] as Qualifier;
        if (value instanceof Failure) return value;
        if (qualifier.isOptional || value instanceof OptionalValue)
          return optionalPart(run, value, qualifiers.slice(i));
        value = qualifier.take(run, value);
      }
      return value;
    };
  }

  step(): EvalStep {
    const resolve = this.resolver();
    return (run) => {
      const value = resolve(run);
      run.charge(1);
      return value;
    };
  }
}

/** Selects nested parts of a value that may be absent, each of which may be, too. */
function optionalPart(run: Run, from: Value, qualifiers: readonly Qualifier[]): Value {
  let value: Value | undefined = from instanceof OptionalValue ? from.value : from;
  for (const qualifier of qualifiers) {
    if (value === undefined) return NONE;
    value = qualifier.find(run, value);
    if (value instanceof Failure) return value;
  }
  return new OptionalValue(value);
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

  override resolver(): EvalStep {
    const [condition, yes, no] = [this.condition.step(), this.yes.resolver(), this.no.resolver()];
    return (run) => {
      const holds = condition(run);
      if (holds === true) return yes(run);
      return holds === false ? no(run) : failureOr(holds);
    };
  }

  override step(): EvalStep {
    return this.resolver();
  }
}

/** Returns a plan as an attribute, to be qualified or to become a branch. */
export const attributeOf = (plan: Plan): Attribute => (plan instanceof Attribute ? plan : new Attribute(plan.step()));

/** Whether a value can be an index. */
export const isIndex = (key: Value): boolean =>
  typeof key === 'string' ||
  typeof key === 'bigint' ||
  typeof key === 'boolean' ||
  typeof key === 'number' ||
  key instanceof Uint;

/** Formats a key for messages. */
const shown = (key: Value): string => (key instanceof Uint ? String(key.value) : String(key));

/** Returns the part of a value under a key, or why there is none. */
function part(value: Value, key: Value): Value {
  if (value instanceof Dictionary) {
    const found = value.find(key);
    return found === undefined ? new Failure(`no such key: ${shown(key)}`) : found;
  }
  if (value instanceof List) return value.get(key);
  return value instanceof Failure ? value : new Failure(`no such key: ${shown(key)}`);
}

/** Returns the part of a value under a key, undefined if there is none; or why the key is invalid. */
export function partIfAny(value: Value, key: Value): Value | undefined {
  if (value instanceof Dictionary) return value.find(key);
  if (!(value instanceof List)) return value instanceof Failure ? value : undefined;
  const place = typeof key === 'bigint' ? key : key instanceof Uint ? key.value : placeOf(key);
  if (place instanceof Failure) return place;
  return place >= 0n && place < value.size ? value.at(Number(place)) : undefined;
}

function placeOf(key: Value): bigint | Failure {
  if (typeof key !== 'number') return new Failure(`unsupported index type '${typeNameOf(key)}' in list`);
  return Number.isSafeInteger(key) ? BigInt(key) : new Failure(`unsupported index value ${key} in list`);
}

/** Charges for a part that was looked up: 1 unit if it is present. */
function charged(run: Run, found: Value | undefined): Value | undefined {
  if (found !== undefined && !(found instanceof Failure)) run.charge(1);
  return found;
}

/** Selects the part under a constant key. */
export const constantQualifier = (key: Value, isOptional = false): Qualifier => ({
  take(run, value) {
    const found = part(value, key);
    run.charge(1);
    return found;
  },
  find: (run, value) => charged(run, partIfAny(value, key)),
  isOptional,
});

/** Selects the part under a computed key. */
export const computedQualifier = (index: EvalStep, isOptional = false): Qualifier => ({
  take(run, value) {
    const key = checkedKey(index(run));
    const found = key instanceof Failure ? key : part(value, key);
    run.charge(1);
    return found;
  },
  find(run, value) {
    const key = checkedKey(index(run));
    return charged(run, key instanceof Failure ? key : partIfAny(value, key));
  },
  isOptional,
});

const checkedKey = (key: Value): Value =>
  key instanceof Failure || isIndex(key) ? key : new Failure(`invalid qualifier type: ${typeNameOf(key)}`);
