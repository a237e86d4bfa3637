import {
  admissionProgramSteps,
  admissionScope,
  BASE_ENVIRONMENT,
  composedScope,
  LATER_ENVIRONMENT,
  MAX_EXPRESSION_CHARACTERS,
  type Type,
} from '@orch/expressions';
import { type FieldError, invalidValue, tooLong } from '@orch/machinery';
import type { ValidatingAdmissionPolicySpec } from '@orch/schema/types/admissionregistration/v1beta1';

/** The rules that the expressions of a policy are judged by. */
export interface ExpressionRules {
  /** Whether they may name `params`. */
  readonly params: boolean;
  /** Whether they may use what came after release 1.27. */
  readonly later: boolean;
  /** The expressions that are stored, which may stay in what they use. */
  readonly stored: ReadonlySet<string>;
  /** Types of the variables of the policy that are known, by name; undefined where it has none. */
  readonly variables: ReadonlyMap<string, Type> | undefined;
}

/** The expressions of a policy as it is stored. */
export const storedExpressions = (spec: ValidatingAdmissionPolicySpec | undefined): ReadonlySet<string> =>
  new Set([
    ...(spec?.validations ?? []).flatMap((each) => [each.expression ?? '', each.messageExpression ?? '']),
    ...(spec?.auditAnnotations ?? []).map((each) => each.valueExpression ?? ''),
    ...(spec?.variables ?? []).map((each) => each.expression ?? ''),
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
  rules: ExpressionRules,
  authorizer = true,
): Generator<FieldError[], FieldError[]> {
  return (yield* checkedExpression(text, field, wanted, rules, authorizer)).errors;
}

/** The same with the type of its value, where nothing is wrong. @param wanted undefined for any */
export function* checkedExpression(
  text: string,
  field: string,
  wanted: readonly string[] | undefined,
  { params, later, stored, variables }: ExpressionRules,
  authorizer = true,
): Generator<FieldError[], { readonly errors: FieldError[]; readonly type?: Type | undefined }> {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_CHARACTERS)
    return { errors: [tooLong(field, MAX_EXPRESSION_CHARACTERS)] };
  const namespace = later || stored.has(text);
  const environment = namespace ? LATER_ENVIRONMENT : BASE_ENVIRONMENT;
  const scope = admissionScope({ params, authorizer, namespace });
  const composed = variables ? composedScope(scope, variables) : scope;
  const steps = admissionProgramSteps(text, environment, composed, wanted);
  let step = steps.next();
  for (; !step.done; step = steps.next()) yield [];
  const { fault, type } = step.value;
  return { errors: fault === undefined ? [] : [invalidValue(field, text, fault)], type };
}
