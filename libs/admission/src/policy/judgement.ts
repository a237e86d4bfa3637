import { POLICY_COST_LIMIT } from '@orch/expressions';
import { aggregated, type Conditions, OUT_OF_BUDGET } from '../matching/conditions.js';
import type { Compiled, CompiledPolicy, PolicyDefinition } from './definition.js';
import type { Evaluated, Evaluation, Evaluations } from './evaluation.js';
import type { StoredValidation } from './stored-policy.js';

/** Decision of one validation of a policy about a request. */
export interface PolicyDecision {
  /** Whether the request is admitted. */
  readonly admits: boolean;
  /** Whether an evaluation failed, so that the failure policy decided. */
  readonly failed: boolean;
  /** Why the validation failed; empty if it did not. */
  readonly message: string;
  /** Reason of a denial; '' if the validation holds or could not be evaluated. */
  readonly reason: string;
  /** Time of the evaluation, milliseconds. */
  readonly milliseconds: number;
}

/** An audit annotation: a value, nothing, or why it could not be evaluated. */
interface Note {
  readonly key: string;
  readonly value?: string;
  readonly error?: string;
  readonly milliseconds: number;
}

/** Outcome of a policy for a request with one set of parameters. */
export interface Judgement {
  /** Decisions of the validations; empty if the match conditions exclude the request. */
  readonly decisions: readonly PolicyDecision[];
  /** Audit annotations of the policy. */
  readonly notes: readonly Note[];
}

/** Most bytes of a message that an expression makes; a longer one is not used. */
const LONGEST_MESSAGE = 5 * 1024;
const NOTHING: Judgement = { decisions: [], notes: [] };

/**
 * Validates requests by one policy with one set of parameters (k8s.io/apiserver,
 * pkg/admission/plugin/validatingadmissionpolicy/validator.go).
 */
export class Judge {
  constructor(
    private readonly definition: PolicyDefinition,
    private readonly compiled: CompiledPolicy,
    private readonly conditionFailed: () => void,
  ) {}

  /** Evaluates the policy for a request. @param conditionsHold evaluates its match conditions */
  async judge(
    evaluation: Evaluation,
    conditionsHold: (conditions: Conditions) => ReturnType<Conditions['evaluateWith']>,
  ): Promise<Judgement> {
    const { validations, messages, annotations } = this.compiled;
    if (!this.definition.conditions.isEmpty) {
      const verdict = await conditionsHold(this.definition.conditions);
      if (verdict.kind !== 'matches') for (const _error of verdict.errors) this.conditionFailed();
      if (verdict.kind === 'fails' && !this.definition.ignoresFailure) return this.#failure(aggregated(verdict.errors));
      if (verdict.kind !== 'matches') return NOTHING;
    }
    const judged = await evaluation.each(validations, POLICY_COST_LIMIT);
    if (!judged) return this.#failure(OUT_OF_BUDGET);
    const told = await this.#messages(evaluation, messages, judged);
    const decisions = judged.results.map((result, at) => this.#decision(result as Evaluated, at, told));
    const noted = await evaluation.each(annotations, POLICY_COST_LIMIT);
    if (!noted) return this.#failure(OUT_OF_BUDGET);
    return { decisions, notes: noted.results.map((result, at) => this.#note(result as Evaluated, at)) };
  }

  /**
   * Evaluates all message expressions; those of validations that hold cost too.
   * @returns undefined if they exceed the budget
   */
  async #messages(
    evaluation: Evaluation,
    messages: readonly (Compiled | undefined)[],
    { left }: Evaluations,
  ): Promise<Evaluations | undefined> {
    return messages.some((each) => each) ? evaluation.each(messages, left) : { results: [], left };
  }

  #failure(message: string): Judgement {
    return { decisions: [this.#failed(message, 0)], notes: [] };
  }

  #failed(message: string, milliseconds: number): PolicyDecision {
    return { admits: this.definition.ignoresFailure, failed: true, message, reason: '', milliseconds };
  }

  #decision(result: Evaluated, at: number, messages: Evaluations | undefined): PolicyDecision {
    const { milliseconds, error } = result;
    if (error !== undefined) return this.#failed(error, milliseconds);
    if (!messages) return this.#failed(`failed messageExpression: ${OUT_OF_BUDGET}`, milliseconds);
    if (result.value === true) return { admits: true, failed: false, message: '', reason: '', milliseconds };
    const validation = this.definition.validations[at] as StoredValidation;
    const { reason = 'Invalid' } = validation;
    return { admits: false, failed: false, message: messageOf(validation, messages.results[at]), reason, milliseconds };
  }

  #note(result: Evaluated, at: number): Note {
    const key = this.definition.annotations[at]?.key ?? '';
    const { milliseconds, error } = result;
    if (error !== undefined) return { key, milliseconds, ...(!this.definition.ignoresFailure && { error }) };
    const value = typeof result.value === 'string' ? result.value.trim() : '';
    return { key, milliseconds, ...(value !== '' && { value }) };
  }
}

/** Returns the value of the message expression, the message of the validation, or else its expression. */
function messageOf({ expression, message = '' }: StoredValidation, made: Evaluated | undefined): string {
  const value = made?.error === undefined ? made?.value : undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE;
  return (isUsable ? text : message.trim()) || `failed expression: ${expression.trim()}`;
}
