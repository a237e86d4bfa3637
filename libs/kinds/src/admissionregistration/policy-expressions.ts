import {
  admissionProgramSteps,
  admissionScope,
  BASE_ENVIRONMENT,
  LATER_ENVIRONMENT,
  MAX_EXPRESSION_CHARACTERS,
} from '@orch/expressions';
import { type FieldError, invalidValue, tooLong } from '@orch/machinery';
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
 * What is wrong with an expression, in the words of the reference, in steps between which others may have turns.
 * @param wanted types that its value may have
 * @param authorizer whether it may ask who may do what; default true
 */
export function* expressionErrors(
  text: string,
  field: string,
  wanted: readonly string[],
  { params, later, stored }: ExpressionRules,
  authorizer = true,
): Generator<FieldError[], FieldError[]> {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_CHARACTERS) return [tooLong(field, MAX_EXPRESSION_CHARACTERS)];
  const namespace = later || stored.has(text);
  const environment = namespace ? LATER_ENVIRONMENT : BASE_ENVIRONMENT;
  const steps = admissionProgramSteps(text, environment, admissionScope({ params, authorizer, namespace }), wanted);
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield [];
  const { fault } = step.value;
  return fault === undefined ? [] : [invalidValue(field, text, fault)];
}
