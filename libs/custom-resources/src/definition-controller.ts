import { StatusError } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { inParallel, LeaderRounds, type Leadership, onePage, RENEWAL_MS } from '@orch/runtime/work';
import type { LeastProgress } from '@orch/storage';
import { type Decision, decisionsOf, establishedBy, installing } from './decisions.js';
import type { DefinitionCleaner } from './definition-cleaner.js';
import type { DefinitionFollower } from './definition-follower.js';
import { DefinitionIndex } from './definition-index.js';
import type { DefinitionWriter } from './definition-writer.js';
import type { StorageMigrator } from './storage-migrator.js';

interface DefinitionControllerOptions {
  readonly leadership: Leadership;
  readonly follower: DefinitionFollower;
  readonly writer: Pick<DefinitionWriter, 'tell'>;
  readonly cleaner: Pick<DefinitionCleaner<unknown>, 'pending' | 'begin' | 'idle'>;
  readonly migrator: Pick<StorageMigrator<unknown>, 'pending' | 'begin' | 'idle'>;
  /**
   * Reads the least progress among the servers that are alive; undefined where none is.
   * @throws StoreUnavailableError
   */
  leastProgress(): Promise<LeastProgress | undefined>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Milliseconds between looks how far other servers have come. */
const BARRIER_MS = 50;
/** Definitions that are written at a time. */
const WRITES = { items: 64, bytes: 64, sizeOf: () => 1 };

/**
 * Decides on the names, establishment and removal of definitions; runs in one process at a time. A definition is
 * established once all servers that are alive serve it, and removed when none of them creates objects of its kind any
 * more and the existing ones have been deleted.
 */
export class DefinitionController {
  readonly #clock: Clock;
  readonly #rounds: LeaderRounds;
  /** Definitions that could not be written, by uid; monotonic milliseconds. */
  readonly #refusedUntil = new Map<string, number>();
  readonly #index: DefinitionIndex;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: DefinitionControllerOptions) {
    const { leadership, onError, clock = systemClock } = options;
    this.#clock = clock;
    this.#index = new DefinitionIndex(options.follower);
    this.#rounds = new LeaderRounds({ leadership, round: (isNew) => this.#round(isNew), onError, clock });
  }

  /** Begins to decide, now and at each change of a definition. Returns at once. */
  start(): void {
    this.#unsubscribe = this.options.follower.onChange(() => this.#rounds.ask());
    this.#rounds.ask();
  }

  /** Stops after the work under way, and releases the lease to another process. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#index.stop();
    await this.#rounds.stop();
    await Promise.all([this.options.cleaner.idle(), this.options.migrator.idle()]);
  }

  /** @returns milliseconds until what waits should be looked at again */
  async #round(isNew: boolean): Promise<number | undefined> {
    const { follower } = this.options;
    if (follower.version === undefined) return undefined;
    // What the one before has decided is to be known.
    if (isNew) await follower.confirm();
    // One that cannot be read has names as well, which must not be given to another.
    if (follower.unreadable.size === 0) await this.#carryOut(decisionsOf(this.#index));
    return this.#goOn();
  }

  /** What waits for other servers. @returns milliseconds until it should be looked at again */
  async #goOn(): Promise<number> {
    const { cleaner, migrator, leastProgress } = this.options;
    const definitions = [...this.#index.unfinished];
    const [waiting, pending] = [installing(definitions), cleaner.pending(definitions)];
    const migrating = migrator.pending(definitions);
    if (waiting.length === 0 && pending.length === 0 && migrating.length === 0) return RENEWAL_MS;
    const least = await leastProgress();
    if (!least || !this.options.leadership.leads) return BARRIER_MS;
    const due = establishedBy(waiting, least.served);
    await this.#carryOut(due);
    if (migrating.length > 0) migrator.begin(migrating, least.served);
    const drained = pending.filter(({ since, uid }) => since <= least.drained && !least.held.has(uid));
    const pause = pending.length > 0 ? cleaner.begin(pending, drained) : RENEWAL_MS;
    const isHeld = due.length < waiting.length || drained.length < pending.length;
    return isHeld ? BARRIER_MS : pause;
  }

  /**
   * What is decided next is decided upon this. What is refused of one definition keeps nobody from the others, and is tried
   * again later. @throws StoreUnavailableError
   */
  async #carryOut(decisions: readonly Decision[]): Promise<void> {
    const { leadership, writer, follower } = this.options;
    const now = this.#clock.now();
    for (const [uid, until] of this.#refusedUntil) if (until <= now) this.#refusedUntil.delete(uid);
    const due = decisions.filter(({ definition }) => !this.#refusedUntil.has(definition.uid));
    if (due.length === 0) return;
    await inParallel(onePage(due), WRITES, async (decision) => {
      if (!leadership.leads) return;
      await writer.tell(decision).catch((error: unknown) => this.#refused(decision, error));
    });
    await follower.confirm();
  }

  /** @throws the error where it is not about this one definition */
  #refused({ definition }: Decision, error: unknown): void {
    if (!(error instanceof StatusError)) throw error;
    this.options.onError(error);
    this.#refusedUntil.set(definition.uid, this.#clock.now() + RENEWAL_MS);
  }
}
