import { admissionProgram, admissionScope, LATER_ENVIRONMENT, MAX_EXPRESSION_CHARACTERS } from '@orch/expressions';
import { type FieldError, invalidValue, qualifiedNameErrors, required, tooLong } from '@orch/machinery';
import type { MatchCondition } from '@orch/schema/types/admissionregistration/v1beta1';
import { invalidEach } from '../rules/checks.js';
import { atMost, each, refuseRepeated } from '../rules/lists.js';

const MAX_CONDITIONS = 64;
/**
 * Most characters of the expressions of an object that are compiled here, as that takes time: errors in longer ones
 * cause failures when they are evaluated.
 */
const MAX_COMPILED = 4_096;

/** Returns whether conditions are together short enough to be compiled during a request. */
export const areShort = (conditions: readonly MatchCondition[]): boolean =>
  conditions.reduce((sum, condition) => sum + (condition.expression ?? '').length, 0) <= MAX_COMPILED;

/**
 * Checks match conditions: named expressions that must all hold for a webhook or a policy to be consulted.
 * @param params whether they may use `params`
 * @param short whether those of the object are short enough together
 */
export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: string,
  params = false,
  short = areShort(conditions),
): FieldError[] {
  const isCompiled = short && conditions.length <= MAX_CONDITIONS;
  const names = conditions.map((condition) => condition.name ?? '');
  return [
    ...atMost(path, conditions.length, MAX_CONDITIONS),
    ...each(conditions, path, (condition, at) => validateCondition(condition, at, isCompiled ? { params } : undefined)),
    // Those without a name have been refused for that.
    ...refuseRepeated(
      names.map((name, index) => name || `${index}/`),
      path,
      '.name',
    ),
  ];
}

function validateCondition(
  condition: MatchCondition,
  path: string,
  compiled: { readonly params: boolean } | undefined,
): FieldError[] {
  const name = condition.name ?? '';
  const expression = condition.expression ?? '';
  return [
    ...expressionErrors(expression, `${path}.expression`, compiled),
    ...(name === '' ? [required(`${path}.name`)] : invalidEach(`${path}.name`, name, qualifiedNameErrors(name))),
  ];
}

/** Returns the errors of an expression, in the words of the reference; without `variables` it is not compiled. */
function expressionErrors(expression: string, field: string, variables?: { readonly params: boolean }): FieldError[] {
  if (expression.trim() === '') return [required(field)];
  if (Buffer.byteLength(expression) > MAX_EXPRESSION_CHARACTERS) return [tooLong(field, MAX_EXPRESSION_CHARACTERS)];
  if (!variables) return [];
  const { fault } = admissionProgram(expression, LATER_ENVIRONMENT, admissionScope(variables), ['bool']);
  return fault === undefined ? [] : [invalidValue(field, expression, fault)];
}
