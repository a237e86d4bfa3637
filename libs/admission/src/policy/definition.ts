import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AdmissionProgram,
  admissionScope,
  type CelType,
  type ComposedVariable,
  composedScope,
  composedType,
  LATER_ENVIRONMENT,
  NAMESPACE_VARIABLE,
  type Scope,
} from '@orch/expressions';
import { Conditions } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
import { programInTurns } from '../matching/program-in-turns.js';
import type { ParamKind } from './policy-services.js';
import {
  criteriaOf,
  type PolicySpec,
  type StoredAnnotation,
  type StoredValidation,
  type StoredVariable,
} from './stored-policy.js';

/** A compiled expression, or its compilation error. */
export interface Compiled {
  /** Source of the expression. */
  readonly text: string;
  /** The program, or why there is none. */
  readonly program: AdmissionProgram;
}

/** The compiled expressions of a policy; each list is as long as that of the policy. */
export interface CompiledPolicy {
  /** Variables by name; undefined for none. */
  readonly variables: ReadonlyMap<string, ComposedVariable> | undefined;
  /** Expressions of the validations. */
  readonly validations: readonly Compiled[];
  /** Message expressions of the validations; undefined for those that have none. */
  readonly messages: readonly (Compiled | undefined)[];
  /** Value expressions of the audit annotations. */
  readonly annotations: readonly Compiled[];
}

/**
 * A policy in prepared form, made once. Its expressions may use features newer than release 1.27, whatever is enabled
 * now: they were allowed to when they were written, and the meaning of all others is the same.
 */
export class PolicyDefinition {
  /** Matches requests by the constraints of the policy. */
  readonly matcher: Matcher;
  /** Whether the failure policy is `Ignore`. */
  readonly ignoresFailure: boolean;
  /** Kind of the parameters; undefined for a policy without. */
  readonly paramKind: ParamKind | undefined;
  /** Validations of the policy. */
  readonly validations: readonly StoredValidation[];
  /** Audit annotations of the policy. */
  readonly annotations: readonly StoredAnnotation[];
  /** Variables of the policy. */
  readonly variables: readonly StoredVariable[];
  /** Match conditions of the policy. */
  readonly conditions: Conditions;
  /** Whether an expression may use the namespace of the request. */
  readonly namesNamespace: boolean;
  #compiling: Promise<CompiledPolicy> | undefined;

  /**
   * @param name name of the policy
   * @param spec its spec, as it is stored
   */
  constructor(
    readonly name: string,
    readonly spec: PolicySpec,
  ) {
    this.matcher = new Matcher(criteriaOf(spec.matchConstraints ?? {}));
    this.ignoresFailure = spec.failurePolicy === 'Ignore';
    this.paramKind = spec.paramKind;
    this.validations = spec.validations ?? [];
    this.annotations = spec.auditAnnotations ?? [];
    this.variables = spec.variables ?? [];
    const [params, conditions] = [this.paramKind !== undefined, spec.matchConditions ?? []];
    this.conditions = new Conditions(conditions, LATER_ENVIRONMENT, admissionScope({ params }));
    const texts = [
      ...this.validations.flatMap((each) => [each.expression, each.messageExpression ?? '']),
      ...this.annotations.map((each) => each.valueExpression),
      ...this.variables.map((each) => each.expression),
    ];
    this.namesNamespace = texts.some((text) => text.includes(NAMESPACE_VARIABLE));
  }

  /** Returns the compiled expressions; they are compiled when first needed. */
  compiled(): Promise<CompiledPolicy> {
    this.#compiling ??= this.#compile();
    return this.#compiling;
  }

  /** Returns the variables that expressions may use. @param types of the variables declared so far */
  #scope(types: ReadonlyMap<string, CelType>, authorizer = true): Scope {
    const scope = admissionScope({ params: this.paramKind !== undefined, authorizer, namespace: true });
    return this.variables.length === 0 ? scope : composedScope(scope, types);
  }

  async #compile(): Promise<CompiledPolicy> {
    const types = new Map<string, CelType>();
    const [scope, messageScope] = [this.#scope(types), this.#scope(types, false)];
    const variables = this.variables.length === 0 ? undefined : await this.#compileVariables(scope, types);
    const made = {
      variables,
      validations: [] as Compiled[],
      messages: [] as (Compiled | undefined)[],
      annotations: [] as Compiled[],
    };
    for (const { expression, messageExpression = '' } of this.validations) {
      made.validations.push(await compiled(expression, scope, ['bool']));
      made.messages.push(
        messageExpression === '' ? undefined : await compiled(messageExpression, messageScope, ['string']),
      );
    }
    for (const { valueExpression } of this.annotations)
      made.annotations.push(await compiled(valueExpression, scope, ['string', 'null_type']));
    return made;
  }

  /** Compiles the variables; each may use those before it. @param types filled with the types of all */
  async #compileVariables(scope: Scope, types: Map<string, CelType>): Promise<ReadonlyMap<string, ComposedVariable>> {
    const made = new Map<string, ComposedVariable>();
    for (const [place, { name, expression }] of this.variables.entries()) {
      const { program } = await compiled(expression, scope);
      made.set(name, { place, compiled: program });
      types.set(name, composedType(program.type));
    }
    return made;
  }
}

/**
 * Compiles an expression, then yields to the event loop, as expressions may be long.
 * @param wanted types of its value; default any
 */
async function compiled(text: string, scope: Scope, wanted?: readonly string[]): Promise<Compiled> {
  const program = await programInTurns(text, LATER_ENVIRONMENT, scope, wanted);
  await nextTurn();
  return { text, program };
}
