import { type Clock, systemClock } from '../clock.js';

/** Milliseconds after which another process takes over from one that has died. */
export const LEADERSHIP_MS = 10_000;
/** Milliseconds between attempts to take the lease, or to take it for longer. */
export const RENEWAL_MS = LEADERSHIP_MS / 3;

/** A lease that one process at a time holds. */
export interface LeadershipLease {
  /**
   * Takes the lease, or takes it for longer.
   * @returns false when another process holds it
   * @throws StoreUnavailableError
   */
  take(): Promise<boolean>;
  /** Ends it before its time; does nothing when it is not held. @throws StoreUnavailableError */
  giveBack(): Promise<void>;
}

/** Times of leader election, milliseconds. */
export interface LeadershipTimes {
  /** For how long a process leads after it has asked for the lease, which it must hold for at least that long. */
  readonly leadershipMs: number;
  /** Time between attempts to take the lease, or to take it for longer. */
  readonly renewalMs: number;
}

const DEFAULT_TIMES: LeadershipTimes = { leadershipMs: LEADERSHIP_MS, renewalMs: RENEWAL_MS };

/** Leader election by a lease; the leader knows by its own clock when its lease has expired. */
export class Leadership {
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Counts the terms: spans of time in which the lease was held without a gap. */
  #terms = 0;

  /** @param times default: {@link LEADERSHIP_MS} and {@link RENEWAL_MS} */
  constructor(
    private readonly lease: LeadershipLease,
    private readonly clock: Clock = systemClock,
    private readonly times = DEFAULT_TIMES,
  ) {}

  /** Milliseconds between attempts to take the lease, or to take it for longer. */
  get renewalMs(): number {
    return this.times.renewalMs;
  }

  /** Whether this process holds the lease, by its own clock: false once the lease may have expired. */
  get leads(): boolean {
    return this.clock.now() < this.#leadsUntil;
  }

  /** Milliseconds for which this process leads without another renewal; 0 where it does not lead. */
  get remainingMs(): number {
    return Math.max(0, this.#leadsUntil - this.clock.now());
  }

  /**
   * The term in which this process leads; undefined while it does not lead. Work begun in one term must not write in
   * another.
   */
  get term(): number | undefined {
    return this.leads ? this.#terms : undefined;
  }

  /**
   * Takes the lease or takes it for longer, when that is due.
   * @returns whether this process leads, and has done so since before
   * @throws StoreUnavailableError
   */
  async renew(): Promise<{ leads: boolean; isNew: boolean }> {
    const before = this.#terms;
    const asked = this.clock.now();
    if (asked - this.#askedAt >= this.times.renewalMs) {
      const taken = await this.lease.take();
      // The answer may have taken longer than the lease had left: another process may have led meanwhile.
      if (!this.leads) this.#terms++;
      this.#askedAt = asked;
      this.#leadsUntil = taken ? asked + this.times.leadershipMs : Number.NEGATIVE_INFINITY;
    }
    return { leads: this.leads, isNew: this.leads && this.#terms !== before };
  }

  /** Releases the lease, so that another process can lead. Never rejects. */
  async giveBack(): Promise<void> {
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    await this.lease.giveBack().catch(() => undefined);
  }
}
