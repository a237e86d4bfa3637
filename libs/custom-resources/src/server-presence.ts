import { type Clock, systemClock } from '@orch/runtime';
import { WorkOnDemand } from '@orch/runtime/work';
import type { Presence, Progress } from '@orch/storage';

/** Milliseconds after its last update at which a server's entry expires. */
export const PRESENCE_MS = 10_000;
/** Least and greatest milliseconds between two updates. */
const REST_MS = 20;
const RENEWAL_MS = PRESENCE_MS / 4;

interface ServerPresenceOptions {
  /** Shared record of servers, whose entries expire after {@link PRESENCE_MS}. */
  readonly presence: Presence;
  /** How far the server has come; undefined before it serves anything. */
  progress(): Progress | undefined;
  /** Monotonic milliseconds of the time as of which it serves everything that was committed. */
  currentAsOf(): number;
  /** Resolves when it serves all that was committed before the call. */
  catchUp(): Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/**
 * Publishes that this server is alive and how far it has caught up. The others wait for it from its first entry on, and
 * it counts from when it has then caught up with all that was committed. A server that lags behind lets its entry
 * expire, so that nobody waits for it; it knows that it does not count until it has caught up again.
 */
export class ServerPresence {
  readonly #clock: Clock;
  /** Every process publishes for itself, whoever leads: no controller of the installation. */
  readonly #work: WorkOnDemand;
  #joining: Promise<void> | undefined;
  #countsUntil = Number.NEGATIVE_INFINITY;
  #joins = 0;
  /** Progress that was published last, and when that began, monotonic milliseconds. */
  #published: { readonly progress: Progress; readonly at: number } | undefined;
  #stopped = false;

  constructor(private readonly options: ServerPresenceOptions) {
    const { onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#work = new WorkOnDemand(() => this.#renew(), { onError, restMs: REST_MS, clock });
  }

  /** Whether the others count on it. */
  get counts(): boolean {
    return this.#clock.now() < this.#countsUntil;
  }

  /** How often it has begun to count. */
  get joins(): number {
    return this.#joins;
  }

  /** Resolves when the server counts, and is up to date; at once if it does. @throws StoreUnavailableError */
  join(): Promise<void> {
    if (this.counts) return Promise.resolve();
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  /** Begins to count, and to renew that for as long as it follows. @throws StoreUnavailableError */
  async start(): Promise<void> {
    await this.join();
    this.#work.ask();
  }

  /** Has the others know soon how far it has come. */
  progressed(): void {
    if (this.counts) this.#work.ask();
  }

  /**
   * Withdraws the entry, so that the others wait no longer. Never rejects: an entry that cannot be withdrawn expires.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled([this.#work.stop(), this.#joining]);
    this.#countsUntil = Number.NEGATIVE_INFINITY;
    await this.options.presence.withdraw().catch(() => undefined);
  }

  async #join(): Promise<void> {
    while (!this.counts && !this.#stopped) {
      const progress = this.options.progress();
      const asOf = this.#clock.now();
      await this.options.presence.tell(progress ?? { served: 0n, drained: 0n, held: [] });
      // Decisions from here on wait for this server; those made before are caught up with here.
      await this.options.catchUp();
      if (this.#clock.now() >= asOf + PRESENCE_MS) continue;
      this.#joins++;
      this.#countsUntil = asOf + PRESENCE_MS;
      this.#work.ask();
    }
  }

  async #renew(): Promise<void> {
    const asOf = this.#clock.now();
    const due = (this.#published?.at ?? asOf) + RENEWAL_MS;
    this.#work.askIn(due > asOf ? due - asOf : RENEWAL_MS);
    if (!this.counts) return this.join();
    const progress = this.options.progress();
    if (!progress || asOf - this.options.currentAsOf() >= PRESENCE_MS) return;
    if (this.#published && due > asOf && isAlike(progress, this.#published.progress)) return;
    await this.options.presence.tell(progress);
    // Too late: the other servers may have continued without this one.
    if (!this.counts) return this.join();
    this.#published = { progress, at: asOf };
    this.#countsUntil = asOf + PRESENCE_MS;
  }
}

const isAlike = (a: Progress, b: Progress): boolean =>
  a.served === b.served && a.drained === b.drained && a.held.join() === b.held.join();
