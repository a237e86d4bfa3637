export {
  type AdmissionProgram,
  admissionProgram,
  admissionProgramSteps,
  MATCH_CONDITIONS_LIMIT,
  MAX_EXPRESSION_CHARACTERS,
  PER_EXPRESSION_LIMIT,
  POLICY_COST_LIMIT,
} from './admission/admission-program.js';
export {
  type AdmissionVariables,
  admissionScope,
  NAMESPACE_VARIABLE,
  REQUEST_RESOURCE_VARIABLE,
} from './admission/admission-scope.js';
export { AskedAuthorizer } from './admission/asked-authorizer.js';
export {
  COMPOSED_VARIABLE,
  ComposedValues,
  type ComposedVariable,
  composedScope,
  composedType,
} from './admission/composition.js';
export { checkedType, type KnownTypes, typedAdmissionScope, typeFaults } from './admission/type-check.js';
export type { DeclaredSizes } from './cost/estimate.js';
export {
  BASE_ENVIRONMENT,
  CheckedExpression,
  COST_EXCEEDED,
  Environment,
  type EnvironmentOptions,
  LATER_ENVIRONMENT,
  type Outcome,
  Program,
} from './environment.js';
export { PlanError } from './evaluation/planner.js';
export type { Activation } from './evaluation/run.js';
export {
  type AccessAnswer,
  type AccessQuestion,
  AUTHORIZER_TYPE,
  authorizerValue,
  type ExpressionAuthorizer,
  RESOURCE_CHECK_TYPE,
  resourceCheckValue,
} from './libraries/authorization.js';
export { RULE_COST_LIMIT, ruleErrors, SCHEMA_COST_LIMIT } from './rules/definition.js';
export { FieldPathError, type FieldPlace, fieldAt } from './rules/field-path.js';
export { PER_OBJECT_BUDGET, RuleRun, RuleValidator, type Validation } from './rules/validator.js';
export { builtInSchema } from './schema-types/built-in-schema.js';
export { type DeclaredType, declaredType, MAX_REQUEST_BYTES, scopeOf, sizesOf } from './schema-types/declared-type.js';
export { escapeName, isName, unescapeName } from './schema-types/escape.js';
export { jsonValue } from './schema-types/json-values.js';
export { readerOf } from './schema-types/reader.js';
export type { SchemaProps, ValidationRule } from './schema-types/structural-schema.js';
export type { ValueReader } from './schema-types/value-reader.js';
export { ExpressionError, type Issue } from './syntax/issues.js';
export type { Scope } from './types/declarations.js';
export type { CelType } from './types/type.js';
export * as types from './types/type.js';
export { Failure, type Value } from './values/value.js';
