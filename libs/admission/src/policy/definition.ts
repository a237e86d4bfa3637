import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AdmissionProgram, admissionScope, LATER_ENVIRONMENT, NAMESPACE_VARIABLE } from '@orch/expressions';
import { Conditions } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
import { programInTurns } from '../matching/program-in-turns.js';
import type { ParamKind } from './policy-surroundings.js';
import { criteriaOf, type PolicySpec, type StoredAnnotation, type StoredValidation } from './stored-policy.js';

/** An expression that is ready to be run, or what is wrong with it. */
export interface Compiled {
  readonly text: string;
  readonly program: AdmissionProgram;
}

/** The expressions of a policy, all as many as there are entries in its lists. */
export interface CompiledPolicy {
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
    const [params, conditions] = [this.paramKind !== undefined, spec.matchConditions ?? []];
    this.conditions = new Conditions(conditions, LATER_ENVIRONMENT, admissionScope({ params }));
    const texts = [
      ...this.validations.flatMap((each) => [each.expression, each.messageExpression ?? '']),
      ...this.annotations.map((each) => each.valueExpression),
    ];
    this.namesNamespace = texts.some((text) => text.includes(NAMESPACE_VARIABLE));
  }

  /** Compiled when it is first needed. */
  compiled(): Promise<CompiledPolicy> {
    this.#compiling ??= this.#compile();
    return this.#compiling;
  }

  #scope(authorizer = true) {
    return admissionScope({ params: this.paramKind !== undefined, authorizer, namespace: true });
  }

  /** Others have turns between expressions, which may be long. */
  async #compile(): Promise<CompiledPolicy> {
    const { validations, annotations } = this;
    const [scope, messageScope] = [this.#scope(), this.#scope(false)];
    const compile = async (text: string, wanted: readonly string[], its = scope): Promise<Compiled> => {
      const program = await programInTurns(text, LATER_ENVIRONMENT, its, wanted);
      await nextTurn();
      return { text, program };
    };
    const made = {
      validations: [] as Compiled[],
      messages: [] as (Compiled | undefined)[],
      annotations: [] as Compiled[],
    };
    for (const { expression, messageExpression = '' } of validations) {
      made.validations.push(await compile(expression, ['bool']));
      made.messages.push(
        messageExpression === '' ? undefined : await compile(messageExpression, ['string'], messageScope),
      );
    }
    for (const { valueExpression } of annotations)
      made.annotations.push(await compile(valueExpression, ['string', 'null_type']));
    return made;
  }
}
