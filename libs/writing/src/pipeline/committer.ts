import type { ObjectStore, SetOutcome, Version, WriteOp, WriteOutcome, WriteRefusal } from '@orch/storage';
import type { QuotaCharges } from '../charges/quota-charges.js';
import { type AllocationOutcome, outcomeAfter } from './allocation-outcome.js';
import type { Caller } from './caller.js';
import { checkTime } from './check-time.js';
import type { WritePlan } from './planned-write.js';
import { UNWRITTEN } from './write-request.js';

interface CommitterOptions {
  readonly store: ObjectStore;
  /** Absent where nothing is charged. */
  readonly quotas?: QuotaCharges | undefined;
}

/** The parts of a plan that its commit needs. */
type Committed = Pick<WritePlan, 'endpoint' | 'ops' | 'conclude'>;

/** Outcome of an attempt: the version that each plan's last operation made, or why nothing was written. */
export type Attempt = { readonly outcome: 'committed'; readonly versions: readonly Version[] } | WriteRefusal;

/** The operation for which a set was refused, with its endpoint. */
type Refused = Pick<Committed, 'endpoint'> & { readonly op: WriteOp };

/** Commits planned writes: the only way of objects to the store. */
export class Committer {
  constructor(private readonly options: CommitterOptions) {}

  /**
   * Commits plans in one transaction, all of them or none, and concludes each.
   * @param plans with at least one operation among them
   * @param callers those whose deadline must not have passed; default: none is checked
   * @returns a refusal where the write may be planned anew, based on what is stored by then; quotas are up to date and
   * counted
   * @throws StatusError 403 where a quota is exceeded, 504 and 503 where a caller's deadline has passed;
   * StoreUnavailableError
   */
  async attempt(plans: readonly Committed[], callers: readonly Caller[] = []): Promise<Attempt> {
    const ops = opsOf(plans);
    const [only] = ops as readonly [WriteOp];
    let answer: WriteOutcome | SetOutcome;
    try {
      for (const caller of callers) checkTime({ caller });
      // The store accepts a single one where it would refuse a set.
      answer = await (ops.length === 1 ? this.options.store.write(only) : this.options.store.writeSet(ops));
    } catch (error) {
      await concludeAll(plans, outcomeAfter(error));
      throw error;
    }
    const outcome = attemptOf(answer, plans);
    await concludeAll(plans, outcome.outcome === 'committed' ? 'kept' : 'dropped');
    if (outcome.outcome === 'accounts-changed') await this.options.quotas?.catchUp();
    if (outcome.outcome === 'exceeded') await this.#requireCounting(outcome, refusedIn(plans, answer));
    return outcome;
  }

  /**
   * Waits for the first count of the quotas that refused a write.
   * @throws StatusError 403 where they had been counted
   */
  async #requireCounting(
    refusal: Extract<WriteRefusal, { outcome: 'exceeded' }>,
    { endpoint, op }: Refused,
  ): Promise<void> {
    const { quotas } = this.options;
    if (quotas && !(await quotas.areCountedNow(refusal, op))) throw quotas.refusal(refusal, endpoint, op);
  }
}

function opsOf(plans: readonly Committed[]): readonly WriteOp[] {
  const [only] = plans;
  return only && plans.length === 1 ? only.ops : plans.flatMap(({ ops }) => ops);
}

function refusedIn(plans: readonly Committed[], answer: WriteOutcome | SetOutcome): Refused {
  const all = plans.flatMap(({ endpoint, ops }) => ops.map((op) => ({ endpoint, op })));
  return all[answer.outcome === 'refused' ? answer.item : 0] as Refused;
}

function attemptOf(outcome: WriteOutcome | SetOutcome, plans: readonly Committed[]): Attempt {
  if (outcome.outcome === 'refused') return outcome.refusal;
  if (outcome.outcome !== 'committed') return outcome;
  if ('version' in outcome) return { outcome: 'committed', versions: [outcome.version] };
  let made = 0;
  const versions = plans.map(({ ops }) => {
    made += ops.length;
    return outcome.versions[made - 1] ?? UNWRITTEN;
  });
  return { outcome: 'committed', versions };
}

/** Waits only where something was taken for a write. */
function concludeAll(plans: readonly Committed[], outcome: AllocationOutcome): void | Promise<void> {
  for (let at = 0; at < plans.length; at++) {
    const wait = plans[at]?.conclude(outcome);
    if (wait) return wait.then(() => concludeAll(plans.slice(at + 1), outcome));
  }
}
