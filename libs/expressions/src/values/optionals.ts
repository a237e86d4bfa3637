import { OPTIONAL } from '../types/type.js';
import { equalTo } from './compare.js';
import { type EvaluationBudget, Failure, Opaque, type Value } from './value.js';

/** A value, or none. */
export class OptionalValue extends Opaque {
  override readonly typeName = OPTIONAL;

  /** @param value undefined for none */
  constructor(readonly value: Value | undefined) {
    super();
  }

  override equals(other: Value, effort: EvaluationBudget): boolean | Failure {
    if (!(other instanceof OptionalValue)) return other instanceof Failure ? other : false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return equalTo(this.value, other.value, effort);
  }
}

/** The empty optional. */
export const NONE = new OptionalValue(undefined);
