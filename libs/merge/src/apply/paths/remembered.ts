import type { Steps } from '../steps.js';
import type { FieldSet } from './field-set.js';

/** An operation on two sets, in steps. */
export type SetOperation = (a: FieldSet, b: FieldSet) => Steps<FieldSet>;

/**
 * An operation that keeps with each set what it made of it the last time. Objects come in few shapes, and their changes too: their sets
 * are met again and again.
 */
export class Remembered {
  readonly #last = new WeakMap<FieldSet, { readonly b: FieldSet; readonly result: FieldSet }>();

  constructor(
    private readonly atOnce: (a: FieldSet, b: FieldSet) => FieldSet,
    private readonly inSteps: SetOperation,
  ) {}

  /** The result where it is remembered, or no more than one step; undefined where it is to be {@link made}. */
  known(a: FieldSet, b: FieldSet): FieldSet | undefined {
    const known = this.#last.get(a);
    if (known?.b === b) return known.result;
    return a.isMany || b.isMany ? undefined : this.#kept(a, b, this.atOnce(a, b));
  }

  *made(a: FieldSet, b: FieldSet): Steps<FieldSet> {
    return this.#kept(a, b, yield* this.inSteps(a, b));
  }

  #kept(a: FieldSet, b: FieldSet, result: FieldSet): FieldSet {
    this.#last.set(a, { b, result });
    return result;
  }
}
