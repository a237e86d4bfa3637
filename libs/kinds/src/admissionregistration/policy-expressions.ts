import { admissionProgram, admissionScope, BASE_ENVIRONMENT, LATER_ENVIRONMENT } from '@orch/expressions';
import { type FieldError, invalidValue } from '@orch/machinery';
import { type Json, objectsAt, textAt } from '../values/fields.js';

/** By what the expressions of a policy are judged. */
export interface ExpressionRules {
  /** Whether they may name `params`. */
  readonly params: boolean;
  /** Whether they may use what came after release 1.27. */
  readonly later: boolean;
  /** Those that are stored, which may stay in what they use. */
  readonly stored: ReadonlySet<string>;
}

/** The expressions of a policy as it is stored. */
export const storedExpressions = (spec: unknown): ReadonlySet<string> =>
  new Set([
    ...objectsAt(spec, 'validations').flatMap((each: Json) => [
      textAt(each, 'expression'),
      textAt(each, 'messageExpression'),
    ]),
    ...objectsAt(spec, 'auditAnnotations').map((each: Json) => textAt(each, 'valueExpression')),
  ]);

/**
 * What is wrong with an expression, in the words of the reference.
 * @param wanted types that its value may have
 * @param authorizer whether it may ask who may do what; default true
 */
export function expressionErrors(
  text: string,
  field: string,
  wanted: readonly string[],
  { params, later, stored }: ExpressionRules,
  authorizer = true,
): FieldError[] {
  const environment = later || stored.has(text) ? LATER_ENVIRONMENT : BASE_ENVIRONMENT;
  const { fault } = admissionProgram(text, environment, admissionScope({ params, authorizer }), wanted);
  return fault === undefined ? [] : [invalidValue(field, text, fault)];
}
