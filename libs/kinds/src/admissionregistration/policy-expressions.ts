import {
  admissionProgramSteps,
  admissionScope,
  BASE_ENVIRONMENT,
  type CelType,
  composedScope,
  LATER_ENVIRONMENT,
  MAX_EXPRESSION_CHARACTERS,
} from '@orch/expressions';
import { type FieldError, invalidValue, tooLong } from '@orch/machinery';
import type { ValidatingAdmissionPolicySpec } from '@orch/schema/types/admissionregistration/v1beta1';

/** Rules for the expressions of a policy. */
export interface ExpressionRules {
  /** Whether they may name `params`. */
  readonly params: boolean;
  /** Whether they may use features newer than release 1.27. */
  readonly later: boolean;
  /** The stored expressions, which may keep using such features. */
  readonly stored: ReadonlySet<string>;
  /** Types of the variables declared so far, by name; undefined for a policy without variables. */
  readonly variables: ReadonlyMap<string, CelType> | undefined;
}

/** Returns the expressions of a stored policy. */
export const storedExpressions = (spec: ValidatingAdmissionPolicySpec | undefined): ReadonlySet<string> =>
  new Set([
    ...(spec?.validations ?? []).flatMap((each) => [each.expression ?? '', each.messageExpression ?? '']),
    ...(spec?.auditAnnotations ?? []).map((each) => each.valueExpression ?? ''),
    ...(spec?.variables ?? []).map((each) => each.expression ?? ''),
  ]);

/**
 * Finds the errors of an expression, in the words of the reference, in steps that allow yields to the event loop.
 * @param wanted types that its value may have
 * @param authorizer whether it may use the authorizer; default true
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

/**
 * Finds the errors of an expression, and the type of its value if there are none.
 * @param wanted undefined for any type
 */
export function* checkedExpression(
  text: string,
  field: string,
  wanted: readonly string[] | undefined,
  { params, later, stored, variables }: ExpressionRules,
  authorizer = true,
): Generator<FieldError[], { readonly errors: FieldError[]; readonly type?: CelType | undefined }> {
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
