import type { FieldSet } from './field-set.js';

type Operation = (a: FieldSet, b: FieldSet) => FieldSet;

/**
 * An operation that keeps with each set what it made of it the last time. Objects come in few shapes, and their changes too: their sets
 * are met again and again.
 */
export function remembered(operation: Operation): Operation {
  const last = new WeakMap<FieldSet, { readonly b: FieldSet; readonly result: FieldSet }>();
  return (a, b) => {
    const known = last.get(a);
    if (known?.b === b) return known.result;
    const result = operation(a, b);
    last.set(a, { b, result });
    return result;
  };
}
