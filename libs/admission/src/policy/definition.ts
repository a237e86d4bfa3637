import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AdmissionProgram,
  admissionScope,
  type ComposedVariable,
  composedScope,
  composedType,
  LATER_ENVIRONMENT,
  NAMESPACE_VARIABLE,
  type Scope,
  type Type,
} from '@orch/expressions';
import { Conditions } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
import { programInTurns } from '../matching/program-in-turns.js';
import type { ParamKind } from './policy-surroundings.js';
import {
  criteriaOf,
  type PolicySpec,
  type StoredAnnotation,
  type StoredValidation,
  type StoredVariable,
} from './stored-policy.js';

/** An expression that is ready to be run, or what is wrong with it. */
export interface Compiled {
  readonly text: string;
  readonly program: AdmissionProgram;
}

/** The expressions of a policy, lists as long as its own. */
export interface CompiledPolicy {
  /** By name; undefined where there are none. */
  readonly variables: ReadonlyMap<string, ComposedVariable> | undefined;
  readonly validations: readonly Compiled[];
  /** Undefined for validations that have none. */
  readonly messages: readonly (Compiled | undefined)[];
  readonly annotations: readonly Compiled[];
}

/**
 * A policy, and what is made of it once. Its expressions may use what came after release 1.27, whatever is on now: they were allowed to when
 * they were written, and all others mean the same.
 */
export class Definition {
  readonly matcher: Matcher;
  readonly ignoresFailure: boolean;
  readonly paramKind: ParamKind | undefined;
  readonly validations: readonly StoredValidation[];
  readonly annotations: readonly StoredAnnotation[];
  readonly variables: readonly StoredVariable[];
  readonly conditions: Conditions;
  /** Whether expressions may look at the namespace of a request. */
  readonly namesNamespace: boolean;
  #compiling: Promise<CompiledPolicy> | undefined;

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

  /** Compiled when it is first needed. */
  compiled(): Promise<CompiledPolicy> {
    this.#compiling ??= this.#compile();
    return this.#compiling;
  }

  /** @param types of variables that are known */
  #scope(types: ReadonlyMap<string, Type>, authorizer = true): Scope {
    const scope = admissionScope({ params: this.paramKind !== undefined, authorizer, namespace: true });
    return this.variables.length === 0 ? scope : composedScope(scope, types);
  }

  async #compile(): Promise<CompiledPolicy> {
    const types = new Map<string, Type>();
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

  /** Each with those before it. @param types of all, which are added */
  async #compileVariables(scope: Scope, types: Map<string, Type>): Promise<ReadonlyMap<string, ComposedVariable>> {
    const made = new Map<string, ComposedVariable>();
    for (const [place, { name, expression }] of this.variables.entries()) {
      const { program } = await compiled(expression, scope);
      made.set(name, { place, compiled: program });
      types.set(name, composedType(program.type));
    }
    return made;
  }
}

/** Others have turns between expressions, which may be long. @param wanted types of its value; default any */
async function compiled(text: string, scope: Scope, wanted?: readonly string[]): Promise<Compiled> {
  const program = await programInTurns(text, LATER_ENVIRONMENT, scope, wanted);
  await nextTurn();
  return { text, program };
}
