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
  readonly #words: WorkOnDemand;
  #cancelRenewal: (() => void) | undefined;
  #joining: Promise<void> | undefined;
  #countsUntil = Number.NEGATIVE_INFINITY;
  #joins = 0;
  #told: Progress | undefined;
  #stopped = false;

  constructor(private readonly options: ServerPresenceOptions) {
    const { onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#words = new WorkOnDemand(() => this.#renew(), { onError, restMs: REST_MS, clock });
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
    this.#schedule();
  }

  /** Has the others know soon how far it has come. */
  progressed(): void {
    if (this.counts) this.#words.ask();
  }

  /**
   * Withdraws the entry, so that the others wait no longer. Never rejects: an entry that cannot be withdrawn expires.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRenewal?.();
    await Promise.allSettled([this.#words.stop(), this.#joining]);
    this.#countsUntil = Number.NEGATIVE_INFINITY;
    await this.options.presence.withdraw().catch(() => undefined);
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancelRenewal = this.#clock.after(RENEWAL_MS, () => {
      this.#told = undefined;
      this.#words.ask();
      this.#schedule();
    });
  }

  async #join(): Promise<void> {
    while (!this.counts && !this.#stopped) {
      const progress = this.options.progress();
      const asOf = this.#clock.now();
      await this.options.presence.publish(progress ?? { served: 0n, drained: 0n, held: [] });
      // Decisions from here on wait for this server; those made before are caught up with here.
      await this.options.catchUp();
      if (this.#clock.now() >= asOf + PRESENCE_MS) continue;
      this.#joins++;
      this.#countsUntil = asOf + PRESENCE_MS;
      this.#words.ask();
    }
  }

  async #renew(): Promise<void> {
    if (!this.counts) return this.join();
    const progress = this.options.progress();
    const asOf = this.#clock.now();
    if (!progress || asOf - this.options.currentAsOf() >= PRESENCE_MS) return;
    if (this.#told && isAlike(progress, this.#told)) return;
    await this.options.presence.publish(progress);
    // Too late: the other servers may have continued without this one.
    if (!this.counts) return this.join();
    this.#told = progress;
    this.#countsUntil = asOf + PRESENCE_MS;
  }
}

const isAlike = (a: Progress, b: Progress): boolean =>
  a.served === b.served && a.drained === b.drained && a.held.join() === b.held.join();
