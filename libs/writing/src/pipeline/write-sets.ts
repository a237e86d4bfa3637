import type { Admission } from '@orch/admission';
import type { Stored } from '@orch/resources';
import { TurnsByKey } from '@orch/runtime/work';
import type { ObjectStore } from '@orch/storage';
import { untilNotOvertaken } from './attempts.js';
import { Committer } from './committer.js';
import type { WritePlan } from './planned-write.js';
import { RequestedWrite } from './requested-write.js';
import { type PlanTools, planWrite } from './write-plan.js';
import { CALLING_ATTEMPTS, type UpdateFunction, WRITE_ATTEMPTS, type WriteRequest } from './write-request.js';

interface WriteSetsOptions extends PlanTools {
  readonly store: ObjectStore;
  readonly admission: Admission;
}

/** An object that is changed in one transaction with others. */
export interface SetMember {
  /** The modifying request for this one object. */
  readonly request: WriteRequest;
  /** Stored object as it was just read; the write is refused where it has changed since. */
  readonly base: Stored;
  /** Makes the wanted object from the stored one. */
  readonly change: UpdateFunction;
}

interface RequestedMember {
  readonly write: RequestedWrite;
  readonly base: Stored;
}

/**
 * Changes of several objects that are committed together or not at all, each down the pipeline of its own: what an
 * eviction takes from a budget and the deletion of the pod, for one. The requests of a set are all dry runs, or none
 * is.
 */
export class WriteSets {
  readonly #turns = new TurnsByKey();
  readonly #committer: Committer;

  constructor(private readonly options: WriteSetsOptions) {
    this.#committer = new Committer(options);
  }

  /**
   * Writes a set of objects in one transaction, and retries it when it is overtaken. Sets that were overtaken take
   * turns within the process, unless a webhook is called meanwhile: of many that change the same objects one succeeds
   * at a time, and every attempt of the others would fail.
   * @param members reads the objects and returns their changes; called anew each time the set is overtaken
   * @param deadline monotonic milliseconds (`performance.now()`) after which no further attempt is made
   * @returns false when the last attempt was overtaken too, and nothing was written
   * @throws what `members` and the stages of the pipeline throw; nothing has been written then
   */
  async write(members: () => Promise<readonly SetMember[]>, deadline: number): Promise<boolean> {
    const set = await this.#requested(members);
    if (await this.#attempt(set)) return true;
    if (set.some(({ write }) => write.callsOut)) return this.#again(members, deadline, CALLING_ATTEMPTS - 1);
    return this.#turns.take(lineOf(set), () => this.#again(members, deadline, WRITE_ATTEMPTS - 1));
  }

  #again(members: () => Promise<readonly SetMember[]>, deadline: number, most: number): Promise<boolean> {
    const attempt = async () => performance.now() < deadline && this.#attempt(await this.#requested(members));
    return untilNotOvertaken<boolean>({ most, attempt, overtaken: () => false });
  }

  async #requested(members: () => Promise<readonly SetMember[]>): Promise<RequestedMember[]> {
    const requested = ({ request, base, change }: SetMember) => ({
      base,
      write: new RequestedWrite(request, { change }, this.options.admission),
    });
    return (await members()).map(requested);
  }

  /** @returns true when it was written, or would have been; undefined when it was overtaken */
  async #attempt(set: readonly RequestedMember[]): Promise<true | undefined> {
    const plans = await this.#plan(set);
    const isDryRun = set.some(({ write }) => write.request.options.dryRun);
    if (isDryRun || plans.every(({ ops }) => ops.length === 0)) {
      for (const plan of plans) await plan.conclude('dropped');
      return true;
    }
    const callers = set.map(({ write }) => write.request.caller);
    const { outcome } = await this.#committer.attempt(plans, callers);
    return outcome === 'committed' || undefined;
  }

  /** Plans all members of a set; if one fails the plans of the others are dropped. */
  async #plan(set: readonly RequestedMember[]): Promise<WritePlan[]> {
    const plans: WritePlan[] = [];
    try {
      for (const { write, base } of set) plans.push(await planWrite(write, base, this.options));
      return plans;
    } catch (error) {
      for (const plan of plans) await plan.conclude('dropped');
      throw error;
    }
  }
}

/** The last object of a set is the one that most others want too: a budget behind the pod. */
function lineOf(set: readonly RequestedMember[]): string {
  const { endpoint, key } = (set.at(-1) as RequestedMember).write.request;
  return `${endpoint.type}/${key.namespace}/${key.name}`;
}
