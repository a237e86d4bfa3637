/** Queue of waiting callers: users take turns, and the callers of one user are served in order of arrival. */
export class UserTurns {
  /** Waiting callers by user; the user whose turn is next comes first. */
  readonly #callers = new Map<string, Set<() => void>>();
  #size = 0;

  /** Number of waiting callers. */
  get size(): number {
    return this.#size;
  }

  /** Whether a caller of a user that satisfies the predicate waits. */
  has(suits: (user: string) => boolean): boolean {
    for (const user of this.#callers.keys()) if (suits(user)) return true;
    return false;
  }

  /** Adds a caller behind the others of its user. */
  add(user: string, caller: () => void): void {
    this.#callers.set(user, (this.#callers.get(user) ?? new Set()).add(caller));
    this.#size++;
  }

  /** Removes a caller, if it waits. */
  delete(user: string, caller: () => void): void {
    const own = this.#callers.get(user);
    if (!own?.delete(caller)) return;
    this.#size--;
    if (own.size === 0) this.#callers.delete(user);
  }

  /** Removes and returns the caller whose turn it is among the users that satisfy the predicate. */
  next(suits: (user: string) => boolean): (() => void) | undefined {
    for (const [user, own] of this.#callers) {
      if (!suits(user)) continue;
      const [caller] = own;
      if (caller) this.delete(user, caller);
      this.#moveBehind(user);
      return caller;
    }
    return undefined;
  }

  /** Moves a user that has had a turn behind the others. */
  #moveBehind(user: string): void {
    const own = this.#callers.get(user);
    if (!own) return;
    this.#callers.delete(user);
    this.#callers.set(user, own);
  }
}
