import type { Steps } from '../steps.js';
import type { FieldSet } from './field-set.js';

/** An operation on two sets, in steps. */
export type SetOperation = (a: FieldSet, b: FieldSet) => Steps<FieldSet>;

/**
 * An operation that keeps with each set what it made of it the last time. Objects come in few shapes, and their changes too: their sets
 * are met again and again.
 */
export function remembered(operation: SetOperation): SetOperation {
  const last = new WeakMap<FieldSet, { readonly b: FieldSet; readonly result: FieldSet }>();
  return function* (a, b) {
    const known = last.get(a);
    if (known?.b === b) return known.result;
    const result = yield* operation(a, b);
    last.set(a, { b, result });
    return result;
  };
}
