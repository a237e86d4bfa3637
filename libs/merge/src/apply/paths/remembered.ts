import type { Steps } from '../steps.js';
import type { FieldSet } from './field-set.js';

/** An operation on two sets, in steps. */
export type SetOperation = (a: FieldSet, b: FieldSet) => Steps<FieldSet>;

/**
 * An operation that caches its last result for each set. Objects come in few shapes, and so do their changes: the same
 * sets recur again and again.
 */
export class Remembered {
  readonly #last = new WeakMap<FieldSet, { readonly b: FieldSet; readonly result: FieldSet }>();

  constructor(
    private readonly atOnce: (a: FieldSet, b: FieldSet) => FieldSet,
    private readonly inSteps: SetOperation,
  ) {}

  /** The result if it is cached or takes one step; undefined if it must be {@link made}. */
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
