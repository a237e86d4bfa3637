import { Admission } from '@orch/admission';
import type { Stored } from '@orch/resources';
import { TurnsByKey } from '@orch/runtime/work';
import type { Store } from '@orch/storage';
import { outcomeAfter } from './allocation-outcome.js';
import { commit } from './commit.js';
import type { WritePlan } from './planned-write.js';
import { heedQuotas } from './quota-outcome.js';
import { RequestedWrite } from './requested-write.js';
import { type PlanTools, planWrite } from './write-plan.js';
import { CALLING_ATTEMPTS, type Change, WRITE_ATTEMPTS, type WriteRequest } from './write-request.js';

interface WriteSetsOptions extends PlanTools {
  readonly store: Store;
  readonly admission: Admission;
}

/** An object that is changed in one transaction with others. */
export interface SetMember {
  /** The modifying request for this one object. */
  readonly request: WriteRequest;
  /** Stored object as it was just read; the write is refused where it has changed since. */
  readonly base: Stored;
  /** Makes the wanted object from the stored one. */
  readonly change: Change;
  /**
   * Whether admission has reviewed what the client sent (a Binding, an Eviction), and is not called for this change
   * that follows from it.
   */
  readonly admitted?: boolean;
}

interface RequestedMember {
  readonly write: RequestedWrite;
  readonly base: Stored;
}

const NO_PLUGINS = new Admission([]);

/**
 * Changes of several objects that are committed together or not at all, each down the pipeline of its own: what an eviction
 * takes from a budget and the deletion of the pod, for one. The requests of a set are all dry runs, or none is.
 */
export class WriteSets {
  readonly #turns = new TurnsByKey();

  constructor(private readonly options: WriteSetsOptions) {}

  /**
   * Writes a set of objects in one transaction, and retries it when it is overtaken. Sets that were overtaken take
   * turns within the process, unless a webhook is called meanwhile: of many that change the same objects one succeeds
   * at a time, and every attempt of the others would fail.
   * @param members what is to be made of what is there now; asked anew each time the set is overtaken
   * @param deadline monotonic milliseconds (`performance.now()`) after which no further attempt is made
   * @returns false when it was overtaken to the end, and nothing was written
   * @throws what `members` and the stages of the pipeline throw; nothing has been written then
   */
  async write(members: () => Promise<readonly SetMember[]>, deadline: number): Promise<boolean> {
    const set = await this.#requested(members);
    if (await this.#try(set)) return true;
    if (set.some(({ write }) => write.callsOut)) return this.#again(members, deadline, CALLING_ATTEMPTS);
    return this.#turns.take(lineOf(set), () => this.#again(members, deadline, WRITE_ATTEMPTS));
  }

  /** Up to so many attempts, the first among them. */
  async #again(members: () => Promise<readonly SetMember[]>, deadline: number, attempts: number): Promise<boolean> {
    for (let attempt = 2; attempt <= attempts && performance.now() < deadline; attempt++) {
      if (await this.#try(await this.#requested(members))) return true;
    }
    return false;
  }

  async #requested(members: () => Promise<readonly SetMember[]>): Promise<RequestedMember[]> {
    const requested = ({ request, base, change, admitted }: SetMember) => ({
      base,
      write: new RequestedWrite(request, { change }, admitted ? NO_PLUGINS : this.options.admission),
    });
    return (await members()).map(requested);
  }

  /** @returns whether it was written, or would have been */
  async #try(set: readonly RequestedMember[]): Promise<boolean> {
    const plans: WritePlan[] = [];
    let fate: Parameters<WritePlan['conclude']>[0] = 'dropped';
    try {
      for (const { write, base } of set) plans.push(await planWrite(write, base, this.options));
      const ops = plans.flatMap((plan) => plan.ops);
      if (ops.length === 0 || set.some(({ write }) => write.request.options.dryRun)) return true;
      const outcome = await commit(this.options.store, ops);
      if (outcome.outcome === 'committed') fate = 'kept';
      else await heedQuotas(this.options.quotas, outcome, (set[0] as RequestedMember).write.request.endpoint, ops[0]);
      return outcome.outcome === 'committed';
    } catch (error) {
      fate = outcomeAfter(error);
      throw error;
    } finally {
      for (const plan of plans) await plan.conclude(fate);
    }
  }
}

/** The last object of a set is the one that most others want too: a budget behind the pod. */
function lineOf(set: readonly RequestedMember[]): string {
  const { endpoint, key } = (set.at(-1) as RequestedMember).write.request;
  return `${endpoint.type}/${key.namespace}/${key.name}`;
}
