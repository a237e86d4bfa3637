import { setImmediate as nextTurn } from 'node:timers/promises';
import { serviceAccountGroups, serviceAccountUser, type UserInfo } from '@orch/authentication';
import {
  type AccessAnswer,
  type AccessQuestion,
  type Activation,
  type AdmissionProgram,
  AskedAuthorizer,
  admissionScope,
  authorizerValue,
  type Environment,
  type ExpressionAuthorizer,
  Failure,
  jsonValue,
  MATCH_CONDITIONS_LIMIT,
  PER_EXPRESSION_LIMIT,
  REQUEST_RESOURCE_VARIABLE,
  resourceCheckValue,
} from '@orch/expressions';
import type { ApiObject } from '@orch/machinery';
import type { Attributes } from '../attributes.js';
import type { EvaluationTurns } from './evaluation-turns.js';
import { programInTurns } from './program-in-turns.js';

/** A named expression that must hold for a webhook or a policy to be consulted. */
export interface MatchCondition {
  /** Unique among the conditions of one webhook or policy. */
  readonly name: string;
  /** CEL, which must evaluate to a bool. */
  readonly expression: string;
}

/** Input of the expressions about a write. */
interface ExpressionInput {
  /** The object, in the version that matched. */
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  /** The request without its objects, as in reviews. */
  readonly request: object;
  /** The write; the authorizer is asked with its version of the resource. */
  readonly attributes: Attributes;
}

/** Outcome of the conditions; the errors are those of single conditions, in order. */
type Verdict =
  | { readonly kind: 'matches' }
  | { readonly kind: 'skips'; readonly condition: string; readonly errors: readonly string[] }
  | { readonly kind: 'fails'; readonly errors: readonly string[] };

const SCOPE = admissionScope();
/** Message for expressions whose total cost exceeds the budget. */
export const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** The conditions of one webhook or policy, compiled once. A single false condition decides, even if others failed. */
export class Conditions {
  #compiling: Promise<readonly Compiled[]> | undefined;

  constructor(
    private readonly conditions: readonly MatchCondition[],
    private readonly environment: Environment,
    private readonly scope = SCOPE,
  ) {}

  /** Whether there are no conditions, so that everything matches. */
  get isEmpty(): boolean {
    return this.conditions.length === 0;
  }

  /** Evaluates the conditions; asks the authorizer of the request as often as they do. @param turns of the request */
  async evaluate(input: ExpressionInput, turns: EvaluationTurns): Promise<Verdict> {
    const asked = askedAuthorizer(input.attributes);
    return this.evaluateWith(bindingsOf(input, asked.authorizer), asked, turns);
  }

  /** Evaluates the conditions with bindings that other expressions share. */
  async evaluateWith(bindings: Activation, asked: AskedAuthorizer, turns: EvaluationTurns): Promise<Verdict> {
    this.#compiling ??= this.#compile();
    return judged(await this.#compiling, bindings, asked, turns);
  }

  /** Compiles the conditions. Yields to the event loop between expressions and their steps, which may take long. */
  async #compile(): Promise<readonly Compiled[]> {
    const all: Compiled[] = [];
    for (const condition of this.conditions) {
      if (all.length > 0) await nextTurn();
      const { expression } = condition;
      const compiled = await programInTurns(expression, this.environment, this.scope, ['bool']);
      all.push({ ...condition, compiled });
    }
    return all;
  }
}

type Compiled = MatchCondition & { readonly compiled: AdmissionProgram };

async function judged(
  conditions: readonly Compiled[],
  bindings: Activation,
  asked: AskedAuthorizer,
  turns: EvaluationTurns,
): Promise<Verdict> {
  const errors: string[] = [];
  let skips: string | undefined;
  let budget = MATCH_CONDITIONS_LIMIT;
  for (const { name, expression, compiled } of conditions) {
    if (compiled.program === undefined) {
      errors.push(`compilation error: ${compiled.fault}`);
      continue;
    }
    const { program } = compiled;
    await turns.between();
    const { value, cost } = await asked.settled(() => program.evaluate(bindings, PER_EXPRESSION_LIMIT));
    budget -= cost;
    if (budget < 0) return { kind: 'fails', errors: [OUT_OF_BUDGET] };
    if (value === false) skips ??= name;
    if (value instanceof Failure) errors.push(`expression '${expression}' resulted in error: ${value.message}`);
  }
  if (skips !== undefined) return { kind: 'skips', condition: skips, errors };
  return errors.length > 0 ? { kind: 'fails', errors } : { kind: 'matches' };
}

/** The authorizer of a request, for expressions about it. */
export const askedAuthorizer = (attributes: Attributes): AskedAuthorizer =>
  new AskedAuthorizer((question) => ask(attributes, question));

/** Values of the variables of expressions about a write. */
export function bindingsOf(
  { object, oldObject, request, attributes }: ExpressionInput,
  authorizer: ExpressionAuthorizer,
): Map<string, ReturnType<typeof jsonValue>> {
  const { group, resource, subresource, namespace, name } = attributes;
  return new Map([
    ['object', jsonValue(object ?? null)],
    ['oldObject', jsonValue(oldObject ?? null)],
    ['request', jsonValue(request)],
    // Null without parameters, and for policies whose bindings name none.
    ['params', null],
    ['authorizer', authorizerValue(authorizer)],
    [REQUEST_RESOURCE_VARIABLE, resourceCheckValue(authorizer, { group, resource, subresource, namespace, name })],
  ]);
}

/** Joins errors into one message; duplicates are left out. */
export function aggregated(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}

async function ask({ authorizer, user }: Attributes, question: AccessQuestion): Promise<AccessAnswer> {
  const { serviceAccount, ...wanted } = question;
  const subject = serviceAccount ? accountAsUser(serviceAccount) : user;
  const asks =
    'path' in wanted ? { ...NOTHING, ...wanted } : { ...NOTHING, ...wanted, isResourceRequest: true, version: '*' };
  const { decision, reason } = await authorizer.authorize(subject, asks);
  return { allowed: decision === 'allow', reason };
}

const accountAsUser = (account: { readonly namespace: string; readonly name: string }): UserInfo => ({
  name: serviceAccountUser(account),
  groups: serviceAccountGroups(account.namespace),
  extra: {},
});

/** Attributes that a check of a path leaves empty. */
const NOTHING = {
  isResourceRequest: false,
  path: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};
