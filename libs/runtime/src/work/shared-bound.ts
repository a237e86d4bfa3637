/** Bounds on a resource that requests hold while they last. */
export interface Bounds {
  /** Bound on what all users hold together; 0 for none. */
  readonly inAll: number;
  /** Bound on what one user holds; 0 for none. */
  readonly perUser: number;
}

/** Counts a resource that requests hold, in all and for each user, against bounds. */
export class SharedBound {
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  /** @param bounds limits that `fits` and its variants check against; never changed */
  constructor(readonly bounds: Bounds) {}

  /** Amount that all users hold together. */
  get held(): number {
    return this.#held;
  }

  /** Amount that one user holds. */
  heldBy(user: string): number {
    return this.#heldBy.get(user) ?? 0;
  }

  /** Whether a user may hold this amount more. */
  fits(user: string, amount: number): boolean {
    const { inAll, perUser } = this.bounds;
    if (inAll > 0 && this.#held + amount > inAll) return false;
    return perUser === 0 || this.heldBy(user) + amount <= perUser;
  }

  /**
   * Whether a user may hold this amount more, where one who holds nothing yet is bounded by `perUser` alone: a few
   * users cannot lock out all others.
   */
  fitsApart(user: string, amount: number): boolean {
    const { perUser } = this.bounds;
    return this.heldBy(user) === 0 ? perUser === 0 || amount <= perUser : this.fits(user, amount);
  }

  /**
   * Whether a user may hold this amount more, where beside others a user may hold no more than is left then: however
   * many hold as much as they may, there is always room for one more.
   */
  fitsBeside(user: string, amount: number): boolean {
    if (!this.fitsApart(user, amount)) return false;
    const held = this.heldBy(user);
    const { inAll } = this.bounds;
    const isAlone = this.#held === held;
    return inAll === 0 || held === 0 || isAlone || held + amount <= inAll - this.#held - amount;
  }

  /** Takes an amount without a check; the caller has called one of the `fits` methods. */
  take(user: string, amount: number): void {
    this.#held += amount;
    this.#heldBy.set(user, this.heldBy(user) + amount);
  }

  /** Returns an amount that the user has taken before. */
  give(user: string, amount: number): void {
    this.#held -= amount;
    const left = this.heldBy(user) - amount;
    if (left > 0) this.#heldBy.set(user, left);
    else this.#heldBy.delete(user);
  }
}
