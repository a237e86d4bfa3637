import { method, type Overload, overload } from '../types/declarations.js';
import type { CelType } from '../types/type.js';
import { Failure, List, nameOfType, typeNameOf, type Value } from '../values/value.js';

/** Implementation of a function; called with as many values as the matched form has parameters. */
export type Implementation = (...args: Value[]) => Value;

/** A form of a function, with its implementation. */
export interface Form extends Overload {
  /** Undefined if the function's common implementation handles every value. */
  readonly call?: Implementation;
}

/** A function with its forms, in the order in which they are tried. */
export interface LibraryFunction {
  readonly name: string;
  readonly forms: readonly Form[];
  /** Implementation of all forms, which returns its own failures; functions without it have a `call` for each form. */
  readonly any?: Implementation;
}

/** Functions that belong together. */
export type Library = readonly LibraryFunction[];

/** A method with its implementation; see {@link method}. */
export const methodForm = (id: string, params: readonly CelType[], result: CelType, call: Implementation): Form => ({
  ...method(id, params, result),
  call,
});

/** A function with its implementation; see {@link overload}. */
export const globalForm = (id: string, params: readonly CelType[], result: CelType, call: Implementation): Form => ({
  ...overload(id, params, result),
  call,
});

/** Whether a value fits a declared type; lists are judged by their first element. */
function suits(type: CelType, value: Value): boolean {
  const name = nameOfType(type);
  if (name === undefined) return true;
  if (typeNameOf(value) !== name) return false;
  return type.kind !== 'list' || !(value instanceof List) || value.size === 0 || suits(type.element, value.at(0));
}

const suitsAll = (form: Form, args: readonly Value[]): boolean =>
  form.params.length === args.length && form.params.every((param, i) => suits(param, args[i] as Value));

/** Failure when no form of a function matches such values. */
export const noForm = (name: string, args: readonly Value[]): Failure =>
  new Failure(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);

/**
 * Dispatches at run time among the forms that the check left, by the types of the values; others go to the function's
 * common implementation, if it has one.
 */
export function dispatching(name: string, forms: readonly Form[], any?: Implementation): Implementation {
  if (any && forms.every(({ call }) => call === undefined)) return any;
  return (...args) => {
    for (const form of forms) if (form.call && suitsAll(form, args)) return form.call(...args);
    if (any) return any(...args);
    return noForm(name, args);
  };
}
