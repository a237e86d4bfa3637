import { type CheckedPolicy, type FollowedObjects, typeWarnings } from '@orch/admission';
import type { ApiDeps } from '@orch/handlers';
import type { ApiObject, JsonValue } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { LeaderRounds, type Leadership } from '@orch/runtime/work';
import { updateOwn } from '@orch/writing';
import { ServedKindForms } from './served-forms.js';

interface PolicyCheckerOptions {
  readonly deps: Pick<ApiDeps, 'pipeline' | 'served' | 'scheme'>;
  /** Of policies, in the version that is stored. */
  readonly endpoint: Endpoint;
  readonly policies: Pick<FollowedObjects, 'all' | 'onChange'>;
  readonly leadership: Pick<Leadership, 'renew' | 'giveBack'>;
  /** Resolves when everything is served that was defined before the call. */
  readonly catchUp: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Tells in the status of each admission policy what is wrong with the types in its expressions, once for each generation; in one process at a time. */
export class PolicyChecker {
  readonly #rounds: LeaderRounds;

  constructor(private readonly options: PolicyCheckerOptions) {
    const { leadership, onError } = options;
    this.#rounds = new LeaderRounds({ leadership, round: () => this.#round(), onError });
  }

  start(): void {
    this.options.policies.onChange(() => this.#rounds.ask());
    this.#rounds.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<undefined> {
    const due = [...this.options.policies.all()].filter(isDue);
    if (due.length === 0) return;
    await this.options.catchUp();
    for (const policy of due) if (!this.#rounds.isStopped) await this.#check(policy);
  }

  async #check({ metadata = {}, spec }: ApiObject): Promise<void> {
    const { deps, endpoint } = this.options;
    const { name = '', uid = '', generation = 0 } = metadata;
    const expressionWarnings = await typeWarnings((spec ?? {}) as CheckedPolicy, new ServedKindForms(deps));
    const typeChecking = { ...(expressionWarnings.length > 0 && { expressionWarnings }) };
    const own = { pipeline: deps.pipeline, endpoint };
    await updateOwn(own, { name, uid }, 'status', (current) => {
      if (!isDue(current)) return current;
      const status = { ...(current.status as object), observedGeneration: Number(generation), typeChecking };
      return { ...current, status: status as unknown as JsonValue };
    });
  }
}

/** Whether the status tells of another generation. */
function isDue({ metadata, status }: ApiObject): boolean {
  const { observedGeneration = 0 } = (status ?? {}) as { observedGeneration?: number };
  return Number(observedGeneration) < Number(metadata?.generation ?? 0);
}
