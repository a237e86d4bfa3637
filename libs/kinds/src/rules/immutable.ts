import { type ApiObject, type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { at } from '../values/fields.js';
import { shownSelector } from '../values/go-syntax.js';

/** Refuses a change of the field at a path. A text or a number that is taken away is shown as its zero. */
export function immutableField(object: ApiObject, old: ApiObject, ...path: readonly string[]): FieldError[] {
  const [value, before] = [at(object, ...path), at(old, ...path)];
  if (equal(value, before)) return [];
  const zero = typeof before === 'string' ? '' : typeof before === 'number' ? 0 : undefined;
  return [invalidValue(path.join('.'), value ?? zero, 'field is immutable')];
}

/** Refuses a change of the label selector at `spec.selector`. */
export function immutableSelector(object: ApiObject, old: ApiObject): FieldError[] {
  const value = at(object, 'spec', 'selector');
  if (equal(value, at(old, 'spec', 'selector'))) return [];
  return [invalidValue('spec.selector', shownSelector(value), 'field is immutable')];
}

/** ConfigMaps and Secrets that are marked immutable: neither the mark nor the contents may change. */
export function immutableContents(object: ApiObject, old: ApiObject, contents: readonly string[]): FieldError[] {
  if (old.immutable !== true) return [];
  const message = 'field is immutable when `immutable` is set';
  const mark = object.immutable === true ? [] : [forbiddenField('immutable', message)];
  const changed = contents.filter((name) => !equal(object[name], old[name]));
  return [...mark, ...changed.map((name) => forbiddenField(name, message))];
}
