import type { Environment, Program } from '../environment.js';
import { PlanError } from '../evaluation/planner.js';
import { ExpressionError } from '../syntax/issues.js';
import type { Scope } from '../types/declarations.js';
import { type CelType, formatType } from '../types/type.js';

/** Units that one expression about a write may cost at run time. */
export const PER_EXPRESSION_LIMIT = 1_000_000;
/** Units that all expressions of one kind of a policy may cost together, for each of its bindings. */
export const POLICY_COST_LIMIT = 10_000_000;
/** Units that all conditions of one webhook or policy may cost together. */
export const MATCH_CONDITIONS_LIMIT = 2_500_000;

/**
 * Maximum length of an expression about a write: each character takes some 10 µs to compile, and other work only runs
 * between the steps of that. The reference has no such bound but that of a request.
 */
export const MAX_EXPRESSION_CHARACTERS = 8_192;

/** A compiled expression about a write, or its error in the reference's wording. */
export type AdmissionProgram =
  | { readonly program: Program; readonly type: CelType; readonly fault?: undefined }
  | { readonly fault: string; readonly program?: undefined; readonly type?: undefined };

const TOO_LONG = `the expression is longer than ${MAX_EXPRESSION_CHARACTERS} characters`;

/**
 * Compiles an expression about a write.
 * @param wanted types that its value may have, as messages name them: `bool`, `string`, `null_type`; undefined for any
 */
export function admissionProgram(
  text: string,
  environment: Environment,
  scope: Scope,
  wanted: readonly string[] | undefined,
): AdmissionProgram {
  const steps = admissionProgramSteps(text, environment, scope, wanted);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Same in steps, between which other work may run. */
export function* admissionProgramSteps(
  text: string,
  environment: Environment,
  scope: Scope,
  wanted: readonly string[] | undefined,
): Generator<void, AdmissionProgram> {
  if (text.length > MAX_EXPRESSION_CHARACTERS) return { fault: `compilation failed: ${TOO_LONG}` };
  try {
    const parsed = environment.parse(text);
    yield;
    const expression = environment.check(parsed, scope);
    yield;
    const { type } = expression;
    if (!wanted || wanted.includes(nameOf(type))) return { program: expression.program(), type };
    return { fault: `must evaluate to ${wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`}` };
  } catch (error) {
    if (error instanceof ExpressionError) return { fault: `compilation failed: ${error.message}` };
    if (error instanceof PlanError) return { fault: `program instantiation failed: ${error.message}` };
    throw error;
  }
}

/** Returns the name of a type in messages about wanted types. */
const nameOf = (type: CelType): string => (type.kind === 'null' ? 'null_type' : formatType(type));
