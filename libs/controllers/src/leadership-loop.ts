import type { Clock } from '@orch/runtime';
import { type Leadership, WorkQueue } from '@orch/runtime/work';

/** Dependencies of a {@link LeadershipLoop}. */
interface LeadershipLoopOptions {
  /** Decides whether this process leads. */
  readonly leadership: Pick<Leadership, 'term' | 'renew' | 'giveBack' | 'renewalMs' | 'remainingMs'>;
  /** Called when a term begins. */
  readonly lead: (term: number) => void;
  /** Called when a term has ended, be it that the lease may have expired while its renewal hangs, or none has begun. */
  readonly retire: () => void;
  /** Called with each failure to renew the lease, which is retried. */
  readonly onError: (error: unknown) => void;
  /** Clock of renewals. */
  readonly clock: Clock;
}

/** Waits between attempts to renew the lease, milliseconds. */
const RETRY = { firstMs: 250, longestMs: 5_000 };
/** The one key of the queue by which the lease is renewed. */
const LEASE = 'lease';

/** Competes for a lease, and tells when this process leads and when it does not any more. */
export class LeadershipLoop {
  readonly #renewals: WorkQueue;
  /** The term that has begun; undefined between terms. */
  #term: number | undefined;
  #isHalted = false;
  #cancelLapse = (): void => undefined;

  constructor(private readonly options: LeadershipLoopOptions) {
    const { onError, clock } = options;
    this.#renewals = new WorkQueue({ process: () => this.#renew(), onError, retry: RETRY, clock });
  }

  /** Begins to compete for the lease. */
  start(): void {
    this.#renewals.add(LEASE);
  }

  /** Begins no term any more; the lease is kept until {@link stop}. */
  halt(): void {
    this.#isHalted = true;
  }

  /** Ends, and gives the lease back. */
  async stop(): Promise<void> {
    this.halt();
    this.#cancelLapse();
    await this.#renewals.stop();
    await this.options.leadership.giveBack();
  }

  async #renew(): Promise<void> {
    const { leadership } = this.options;
    const { leads, isNew } = await leadership.renew().catch((error: unknown) => {
      // It may lead no longer, though nobody has told it so.
      if (leadership.term !== this.#term) this.#retire();
      throw error;
    });
    // The lease may have lapsed and come back between two rounds: what was due meanwhile was left out.
    if (!leads || isNew) this.#retire();
    if (leads) this.#lead();
    this.#renewals.addAfter(LEASE, leadership.renewalMs);
  }

  #lead(): void {
    const { term } = this.options.leadership;
    if (this.#term !== undefined || term === undefined || this.#isHalted) return;
    this.#term = term;
    this.options.lead(term);
    // Last: the lease may have lapsed by now, which ends the term.
    this.#untilLapsed();
  }

  /** Ends the term when the lease may have expired: a renewal that hangs may fail later than that. */
  #untilLapsed(): void {
    const { leadership, clock } = this.options;
    const { remainingMs } = leadership;
    if (remainingMs > 0) this.#cancelLapse = clock.after(remainingMs, () => this.#untilLapsed());
    else this.#retire();
  }

  #retire(): void {
    this.#cancelLapse();
    this.#term = undefined;
    this.options.retire();
  }
}
