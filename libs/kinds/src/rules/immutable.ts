import { type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import type { LabelSelector } from '@orch/schema/types/meta/v1';
import { equal } from '../values/equal.js';
import { at, type NameOf } from '../values/fields.js';
import { shownSelector } from '../values/go-syntax.js';

/** The path of a field: the name of a member, and those of members of what that holds. */
type FieldPath<A, B, C> = readonly [A] | readonly [A, B] | readonly [A, B, C];

/** Refuses a change of the field at a path. A text or a number that is taken away is shown as its zero. */
export function immutableField<
  T extends object,
  A extends NameOf<T>,
  B extends NameOf<NonNullable<T[A]>>,
  C extends NameOf<NonNullable<NonNullable<T[A]>[B]>>,
>(object: T, old: T, ...path: FieldPath<A, B, C>): FieldError[] {
  const [value, before] = [at(object, ...path), at(old, ...path)];
  if (equal(value, before)) return [];
  const zero = typeof before === 'string' ? '' : typeof before === 'number' ? 0 : undefined;
  return [invalidValue(path.join('.'), value ?? zero, 'field is immutable')];
}

/** Objects that select pods by labels. */
interface Selecting {
  readonly spec?: { readonly selector?: LabelSelector };
}

/** Refuses a change of the label selector at `spec.selector`. */
export function immutableSelector(object: Selecting, old: Selecting): FieldError[] {
  const value = object.spec?.selector;
  if (equal(value, old.spec?.selector)) return [];
  return [invalidValue('spec.selector', shownSelector(value), 'field is immutable')];
}

/** ConfigMaps and Secrets that are marked immutable: neither the mark nor the contents may change. */
export function immutableContents<T extends { readonly immutable?: boolean }>(
  object: T,
  old: T,
  contents: readonly NameOf<T>[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const message = 'field is immutable when `immutable` is set';
  const mark = object.immutable === true ? [] : [forbiddenField('immutable', message)];
  const changed = contents.filter((name) => !equal(object[name], old[name]));
  return [...mark, ...changed.map((name) => forbiddenField(name, message))];
}
