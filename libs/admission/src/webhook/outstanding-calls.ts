/** A call that has no answer yet. */
interface OutstandingCall {
  /** The caller, as given to {@link OutstandingCalls.begin}. */
  readonly caller: string;
  /** Time from which it counts as hanging, monotonic milliseconds. */
  readonly hangsFrom: number;
}

/** Fewest callers with hanging calls before a call is refused. */
const LEAST_CALLERS = 5;

/**
 * The open calls of one webhook that have begun since its last answer. Any answer shows that the webhook is alive:
 * earlier calls no longer count.
 *
 * If the bound on hanging calls is reached, by calls of several callers, the webhook itself hangs: until it answers,
 * each caller is limited to one open call, and further ones are not made. Ended calls are forgotten, so a refused
 * connection, which costs no time, changes nothing.
 */
export class OutstandingCalls {
  readonly #out = new Set<OutstandingCall>();
  #hangs = false;
  #lastFailure = '';

  /**
   * @param mostHanging calls that may hang; 0 for no bound
   * @param now monotonic milliseconds
   */
  constructor(
    private readonly mostHanging: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Why the last call had no answer; empty if it had one. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** Number of calls that currently hang. */
  get hanging(): number {
    return this.#late().length;
  }

  /**
   * Whether further calls of the same caller are refused. The state "hangs" is entered here, and left with an answer.
   */
  get isFull(): boolean {
    const { mostHanging } = this;
    if (mostHanging === 0 || this.#out.size < mostHanging) return false;
    this.#hangs ||= this.#weight(this.#late()) >= mostHanging;
    return this.#hangs && this.#weight([...this.#out]) >= mostHanging;
  }

  /** Returns whether a further call of a caller would only delay others. */
  refuses(caller: string): boolean {
    return this.isFull && [...this.#out].some((call) => call.caller === caller);
  }

  /** Records the begin of a call; its end must be recorded too. */
  begin(caller: string, hangsAfterMs: number): OutstandingCall {
    const call = { caller, hangsFrom: this.now() + hangsAfterMs };
    this.#out.add(call);
    return call;
  }

  /** Records an answer of the webhook, whatever its content. */
  answered(): void {
    this.#out.clear();
    this.#hangs = false;
    this.#lastFailure = '';
  }

  /** Records the end of a call without an answer. @param why if the reason lies with the webhook */
  ended(call: OutstandingCall, why?: string): void {
    this.#out.delete(call);
    if (why !== undefined) this.#lastFailure = why;
  }

  #late(): OutstandingCall[] {
    const now = this.now();
    return [...this.#out].filter(({ hangsFrom }) => now >= hangsFrom);
  }

  /** Returns the number of calls, in which each caller counts for at most its share. */
  #weight(calls: readonly OutstandingCall[]): number {
    const share = Math.max(1, Math.floor(this.mostHanging / LEAST_CALLERS));
    const counts = new Map<string, number>();
    for (const { caller } of calls) counts.set(caller, Math.min(share, (counts.get(caller) ?? 0) + 1));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]*):/;

/**
 * Returns the identity of a caller: the user name, or the namespace of a service account, as a client that may create
 * one there may create many.
 */
export const callerOf = (user: string): string => SERVICE_ACCOUNT.exec(user)?.[0] ?? user;
