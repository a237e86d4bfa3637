import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AdmissionProgram, admissionProgramSteps, admissionScope, LATER_ENVIRONMENT } from '@orch/expressions';
import { Conditions } from '../matching/conditions.js';
import { Matcher } from '../matching/match.js';
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
    this.conditions = new Conditions(spec.matchConditions ?? [], LATER_ENVIRONMENT, this.#scope());
  }

  /** Compiled when it is first needed. */
  compiled(): Promise<CompiledPolicy> {
    this.#compiling ??= this.#compile();
    return this.#compiling;
  }

  #scope(authorizer = true) {
    return admissionScope({ params: this.paramKind !== undefined, authorizer });
  }

  /** Others have turns between expressions, which may be long. */
  async #compile(): Promise<CompiledPolicy> {
    const { validations, annotations } = this;
    const [scope, messageScope] = [this.#scope(), this.#scope(false)];
    const compile = async (text: string, wanted: readonly string[], its = scope): Promise<Compiled> => {
      const steps = admissionProgramSteps(text, LATER_ENVIRONMENT, its, wanted);
      let step = steps.next();
      for (; !step.done; step = steps.next()) await nextTurn();
      await nextTurn();
      return { text, program: step.value };
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
