import { type FieldError, qualifiedNameErrors, required } from '@orch/machinery';
import { invalidEach } from '../rules/checks.js';
import { atMost, each, refuseRepeated } from '../rules/lists.js';
import { type Json, textAt } from '../values/fields.js';

const MAX_CONDITIONS = 64;

/** Named expressions that must all hold before a webhook or a policy is asked. */
export function validateMatchConditions(conditions: readonly Json[], path: string): FieldError[] {
  const names = conditions.map((condition) => textAt(condition, 'name'));
  return [
    ...atMost(path, conditions.length, MAX_CONDITIONS),
    ...each(conditions, path, validateCondition),
    // Those without a name have been refused for that.
    ...refuseRepeated(
      names.map((name, index) => name || `${index}/`),
      path,
      '.name',
    ),
  ];
}

function validateCondition(condition: Json, path: string): FieldError[] {
  const name = textAt(condition, 'name');
  return [
    ...(textAt(condition, 'expression').trim() === '' ? [required(`${path}.expression`)] : []),
    ...(name === '' ? [required(`${path}.name`)] : invalidEach(`${path}.name`, name, qualifiedNameErrors(name))),
  ];
}
