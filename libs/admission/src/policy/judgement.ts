import { POLICY_COST_LIMIT } from '@orch/expressions';
import { aggregated, type Conditions, OUT_OF_BUDGET } from '../matching/conditions.js';
import type { Compiled, CompiledPolicy, Definition } from './definition.js';
import type { Evaluated, Evaluation, Evaluations } from './evaluation.js';
import type { StoredValidation } from './stored-policy.js';

/** What a policy says of a request, validation by validation. */
export interface Decision {
  readonly admits: boolean;
  /** Something could not be evaluated, and the failure policy decided. */
  readonly failed: boolean;
  /** Why not. */
  readonly message: string;
  /** Of a denial; '' for none in particular. */
  readonly reason: string;
  readonly milliseconds: number;
}

/** What is to be noted: a value, nothing, or why nobody knows. */
interface Note {
  readonly key: string;
  readonly value?: string;
  readonly error?: string;
  readonly milliseconds: number;
}

export interface Judgement {
  readonly decisions: readonly Decision[];
  readonly notes: readonly Note[];
}

/** Bytes of messages that expressions make. */
const LONGEST_MESSAGE = 5 * 1024;
const NOTHING: Judgement = { decisions: [], notes: [] };

/** Judges requests by one policy with one set of parameters (k8s.io/apiserver, pkg/admission/plugin/validatingadmissionpolicy/validator.go). */
export class Judge {
  constructor(
    private readonly definition: Definition,
    private readonly compiled: CompiledPolicy,
    private readonly conditionFailed: () => void,
  ) {}

  /** @param conditionsHold evaluates the conditions of the policy about the request */
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

  /** All messages cost, also those of what holds. @returns undefined where they cost too much */
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

  #failed(message: string, milliseconds: number): Decision {
    return { admits: this.definition.ignoresFailure, failed: true, message, reason: '', milliseconds };
  }

  #decision(result: Evaluated, at: number, messages: Evaluations | undefined): Decision {
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

/** What its expression makes, what it says, or what it asks for. */
function messageOf({ expression, message = '' }: StoredValidation, made: Evaluated | undefined): string {
  const value = made?.error === undefined ? made?.value : undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE;
  return (isUsable ? text : message.trim()) || `failed expression: ${expression.trim()}`;
}
