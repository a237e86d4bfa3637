import { BOOL, listOf, paramOf } from '../types/type.js';
import { EvaluationBudget, List, noSuchOverload, type Value } from '../values/value.js';
import { globalForm, type Library } from './library.js';

const LIST = listOf(paramOf('T'));

function every(list: List, of: List, effort: EvaluationBudget): boolean {
  for (let i = 0; i < of.size; i++) if (list.contains(of.at(i), effort) !== true) return false;
  return true;
}

function some(list: List, of: List, effort: EvaluationBudget): boolean {
  for (let i = 0; i < of.size; i++) if (list.contains(of.at(i), effort) === true) return true;
  return false;
}

const relation = (name: string, id: string, holds: (a: List, b: List, effort: EvaluationBudget) => boolean) => ({
  name,
  forms: [
    globalForm(id, [LIST, LIST], BOOL, (a?: Value, b?: Value) =>
      a instanceof List && b instanceof List ? holds(a, b, new EvaluationBudget()) : noSuchOverload(),
    ),
  ],
});

/** Functions that treat lists as sets, of release 1.30. */
export const SETS_LIBRARY: Library = [
  relation('sets.contains', 'list_sets_contains_list', every),
  relation(
    'sets.equivalent',
    'list_sets_equivalent_list',
    (a, b, effort) => every(a, b, effort) && every(b, a, effort),
  ),
  relation('sets.intersects', 'list_sets_intersects_list', some),
];
