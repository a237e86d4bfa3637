/** What a client asks on, one thing after the other. Neither call throws, whatever has become of it. */
export interface Connection {
  /** Nothing is read from it for now: what its client says stays with the kernel. */
  pause(): void;
  /** It is read from again. */
  resume(): void;
}

/** How {@link ReadingTurns} go. */
export interface ReadingTurnsOptions {
  /** Connections that are let go on in a round, of all flows together, and that a flow may have answered in one before they wait. */
  readonly perRound: number;
  /** Calls back behind everything that is ready now, as `setImmediate` does. */
  readonly nextRound?: (then: () => void) => void;
  /** Calls back after so many milliseconds, unless what it returns is called before. */
  readonly after?: (ms: number, then: () => void) => () => void;
}

/** How long a connection that was let go on may say nothing before the next one is. */
const LOOK_MS = 1;
/** Connections that wait at most; with {@link LOOK_MS} this bounds how long one does beside what rounds themselves take. */
const MAX_WAITING = 1_024;

/**
 * Who is read from. A request has a flow only when it has been read and it is known who asks, and that is half of what a small one
 * costs: a client that asks on many connections at a time has all of them read before anybody else is looked at. But a connection on
 * which something was asked most likely goes on for the same flow. So where many connections of a flow were answered in one round of
 * the event loop, they wait, and so few of them are read from in each of the next rounds, flows by turns, that a round stays short
 * for whoever comes. One that then has nothing to say is not waited for: nobody stays idle for the sake of somebody else.
 */
export class ReadingTurns<C extends Connection = Connection> {
  readonly #perRound: number;
  readonly #nextRound: (then: () => void) => void;
  readonly #after: (ms: number, then: () => void) => () => void;
  /** Those that were answered in this round, with their flows. */
  readonly #answered = new Map<C, string>();
  /** Those that wait, with their flows. */
  readonly #waiting = new Map<C, string>();
  /** The same by flow, each in the order in which they were answered; the flow whose turn it is comes first. */
  readonly #flows = new Map<string, Set<C>>();
  /** Those that were let go on a moment ago and have said nothing yet. */
  readonly #expected = new Set<C>();
  #isRoundAsked = false;
  #cancelLook: (() => void) | undefined;
  #isStopped = false;

  constructor({ perRound, nextRound, after }: ReadingTurnsOptions) {
    this.#perRound = perRound;
    this.#nextRound = nextRound ?? setImmediate;
    this.#after = after ?? afterMs;
  }

  /** Connections that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Everything that was asked on a connection has been answered. */
  answered(connection: C, flow: string): void {
    if (this.#isStopped) return;
    this.#answered.set(connection, flow);
    this.#askRound();
  }

  /** Something is asked on it, or it has ended: it does not wait. */
  leave(connection: C): void {
    this.#answered.delete(connection);
    this.#takeOut(connection);
    if (this.#expected.delete(connection) && this.#waiting.size > 0) this.#askRound();
  }

  /** Everybody is read from, from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#answered.clear();
    for (let next = this.#takeNext(); next; next = this.#takeNext()) next.resume();
    this.#expected.clear();
    this.#cancelLook?.();
  }

  #askRound(): void {
    if (this.#isRoundAsked) return;
    this.#isRoundAsked = true;
    this.#nextRound(() => {
      this.#isRoundAsked = false;
      this.#round();
    });
  }

  #round(): void {
    if (this.#waiting.size > 0 || this.#answered.size > this.#perRound) this.#holdMany();
    this.#answered.clear();
    if (this.#waiting.size > 0) this.#letGoOn();
  }

  #holdMany(): void {
    const counts = new Map<string, number>();
    for (const flow of this.#answered.values()) counts.set(flow, (counts.get(flow) ?? 0) + 1);
    const busy = (flow: string) => this.#flows.has(flow) || (counts.get(flow) ?? 0) > this.#perRound;
    for (const [connection, flow] of this.#answered) if (busy(flow)) this.#hold(connection, flow);
  }

  #hold(connection: C, flow: string): void {
    if (this.#waiting.size >= MAX_WAITING) return;
    connection.pause();
    this.#waiting.set(connection, flow);
    const known = this.#flows.get(flow);
    if (known) known.add(connection);
    else this.#flows.set(flow, new Set([connection]));
  }

  #letGoOn(): void {
    while (this.#expected.size < this.#perRound) {
      const next = this.#takeNext();
      if (!next) break;
      this.#expected.add(next);
      next.resume();
    }
    if (this.#waiting.size === 0) this.#expected.clear();
    else this.#cancelLook ??= this.#after(LOOK_MS, () => this.#look());
  }

  /** Those that were let go on have had their time: the next ones come, whether these have said anything or not. */
  #look(): void {
    this.#cancelLook = undefined;
    this.#expected.clear();
    if (this.#waiting.size > 0) this.#letGoOn();
  }

  /** The connection of the next flow that was answered longest ago; the flow stands behind the others then. */
  #takeNext(): C | undefined {
    for (const [flow, connections] of this.#flows)
      for (const connection of connections) {
        this.#takeOut(connection);
        if (this.#flows.delete(flow)) this.#flows.set(flow, connections);
        return connection;
      }
    return undefined;
  }

  #takeOut(connection: C): void {
    const flow = this.#waiting.get(connection);
    if (flow === undefined) return;
    this.#waiting.delete(connection);
    const connections = this.#flows.get(flow);
    connections?.delete(connection);
    if (connections?.size === 0) this.#flows.delete(flow);
  }
}

function afterMs(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
}
