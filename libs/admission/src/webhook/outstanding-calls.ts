/** A call that has no answer yet. */
interface OutstandingCall {
  /** Whoever it is made for, as {@link OutstandingCalls.begin} was told. */
  readonly caller: string;
  /** From when on it counts as hanging, monotonic milliseconds. */
  readonly hangsFrom: number;
}

/** Callers whose calls hang at least, before anybody is refused. */
const LEAST_CALLERS = 5;

/**
 * The calls of one webhook that are out, of those that have begun since it last answered. An answer, whatever it says, shows that the webhook
 * is there: what began before it counts no more.
 *
 * Where as many calls hang as may, and they are of several callers, the webhook itself hangs: until it answers, a caller has one call out at a
 * time, and further ones are not made. Nothing is remembered of calls that have ended, so a connection that is refused, which costs
 * nobody any time, changes nothing.
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

  /** Why the last call had no answer; empty where it had one. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** Calls that hang now. */
  get hanging(): number {
    return this.#late().length;
  }

  /** Whether further calls of the same caller are not made. That the webhook hangs is found out here, and forgotten when it answers. */
  get isFull(): boolean {
    const { mostHanging } = this;
    if (mostHanging === 0 || this.#out.size < mostHanging) return false;
    this.#hangs ||= this.#weight(this.#late()) >= mostHanging;
    return this.#hangs && this.#weight([...this.#out]) >= mostHanging;
  }

  /** Whether a further call for somebody would hold up others for nothing. */
  refuses(caller: string): boolean {
    return this.isFull && [...this.#out].some((call) => call.caller === caller);
  }

  /** A call is made; what becomes of it is told. */
  begin(caller: string, hangsAfterMs: number): OutstandingCall {
    const call = { caller, hangsFrom: this.now() + hangsAfterMs };
    this.#out.add(call);
    return call;
  }

  /** The webhook has answered, whatever it said. */
  answered(): void {
    this.#out.clear();
    this.#hangs = false;
    this.#lastFailure = '';
  }

  /** A call has ended without an answer. @param why where that tells of the webhook */
  ended(call: OutstandingCall, why?: string): void {
    this.#out.delete(call);
    if (why !== undefined) this.#lastFailure = why;
  }

  #late(): OutstandingCall[] {
    const now = this.now();
    return [...this.#out].filter(({ hangsFrom }) => now >= hangsFrom);
  }

  /** A number of calls in which those of one caller have no more than a share. */
  #weight(calls: readonly OutstandingCall[]): number {
    const share = Math.max(1, Math.floor(this.mostHanging / LEAST_CALLERS));
    const counts = new Map<string, number>();
    for (const { caller } of calls) counts.set(caller, Math.min(share, (counts.get(caller) ?? 0) + 1));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]*):/;

/** Tells callers apart by their names; service accounts by their namespaces, as whoever may make one there may make many. */
export const callerOf = (user: string): string => SERVICE_ACCOUNT.exec(user)?.[0] ?? user;
