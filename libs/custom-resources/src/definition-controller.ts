import type { Controller, ControllerSource, ReconcileRun } from '@orch/controllers';
import { StatusError } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { Backoff, inParallel, onePage } from '@orch/runtime/work';
import type { LeastProgress } from '@orch/storage';
import { type DefinitionDecision, decisionsOf, establishedBy, installing } from './decisions.js';
import type { Definition } from './definition.js';
import type { DefinitionCleaner } from './definition-cleaner.js';
import type { DefinitionInformer } from './definition-informer.js';
import type { DefinitionWriter } from './definition-writer.js';
import type { ReadyDefinitions } from './ready-definitions.js';
import type { StorageMigrator } from './storage-migrator.js';

interface DefinitionControllerOptions {
  readonly informer: DefinitionInformer;
  readonly writer: Pick<DefinitionWriter, 'decide'>;
  readonly cleaner: Pick<DefinitionCleaner<unknown>, 'pending' | 'ready'>;
  readonly migrator: Pick<StorageMigrator<unknown>, 'pending' | 'ready'>;
  /**
   * Reads the least progress among the servers that are alive; undefined where none is.
   * @throws StoreUnavailableError
   */
  leastProgress(): Promise<LeastProgress | undefined>;
  /** Called with the error of a rejected write of one definition; it is retried. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/**
 * The one key of the controller: names are given to one definition and not to another, and how far all servers have
 * come is read once for all that wait.
 */
const ALL = 'all';
/** Milliseconds between looks how far other servers have come. */
const BARRIER_MS = 50;
/** Least milliseconds between two rounds. */
const REST_MS = 10;
/** Waits until a look that failed, or a definition that was refused, is tried again, milliseconds. */
const RETRY = { firstMs: 250, longestMs: 5_000 };
/** Definitions that are written at a time. */
const WRITES = { items: 64, bytes: 64, sizeOf: () => 1 };

const isReady =
  ({ ready }: { readonly ready: Pick<ReadyDefinitions, 'has'> }) =>
  (definition: Definition): boolean =>
    ready.has(definition);

/** A definition that could not be written. */
interface Refusal {
  readonly backoff: Backoff;
  /** When it is tried again, monotonic milliseconds. */
  until: number;
}

/**
 * Decides on the names, establishment and removal of definitions, as the server itself. A definition is established
 * once all servers that are alive serve it. Wakes the controllers that migrate and delete objects once all servers have
 * come far enough for that.
 */
export class DefinitionController {
  /** The controller. */
  readonly controller: Controller;
  readonly #clock: Clock;
  /** Rejected writes by uid of the definition. */
  readonly #refusals = new Map<string, Refusal>();

  constructor(private readonly options: DefinitionControllerOptions) {
    const { informer, clock = systemClock } = options;
    this.#clock = clock;
    const source: ControllerSource = {
      subscribe: (enqueue) => informer.onChange(() => enqueue(ALL)),
      keys: () => [ALL],
      async confirm() {
        await informer.confirm();
      },
    };
    this.controller = {
      name: 'customresourcedefinition',
      ...{ sources: [source], retry: RETRY, restMs: REST_MS },
      reconcile: (_key, run) => this.#decide(run),
    };
  }

  /** Writes due decisions. @returns milliseconds until the next round; undefined where nothing waits */
  async #decide(run: ReconcileRun): Promise<number | undefined> {
    const now = this.#clock.now();
    // One that cannot be read has names as well, which must not be given to another.
    if (this.options.informer.unreadable.size === 0) await this.#carryOut(decisionsOf(this.options.informer), now, run);
    const pauses = [await this.#advance(now, run), this.#untilRetry(now)].filter((pause) => pause !== undefined);
    return pauses.length > 0 ? Math.min(...pauses) : undefined;
  }

  /** Continues with what waits for other servers. @returns milliseconds until the next round */
  async #advance(now: number, run: ReconcileRun): Promise<number | undefined> {
    const { cleaner, migrator, leastProgress } = this.options;
    const definitions = [...this.options.informer.unfinished];
    const [waiting, pending] = [installing(definitions), cleaner.pending(definitions)];
    const migrating = migrator.pending(definitions);
    cleaner.ready.retain(pending);
    migrator.ready.retain(migrating);
    if (waiting.length === 0 && pending.every(isReady(cleaner)) && migrating.every(isReady(migrator))) return undefined;
    const least = await leastProgress();
    if (!least || !run.goesOn) return BARRIER_MS;
    const due = establishedBy(waiting, least.served);
    await this.#carryOut(due, now, run);
    const isHeld = [
      due.length < waiting.length,
      migrator.ready.update(migrating, ({ since }) => since <= least.served),
      cleaner.ready.update(pending, ({ since, uid }) => since <= least.drained && !least.held.has(uid)),
    ];
    return isHeld.includes(true) ? BARRIER_MS : undefined;
  }

  /**
   * Writes decisions and applies the results to what is known, on which the next decisions are based. A rejected write
   * of one definition does not hold up the others.
   * @throws StoreUnavailableError
   */
  async #carryOut(decisions: readonly DefinitionDecision[], now: number, run: ReconcileRun): Promise<void> {
    const { writer, informer } = this.options;
    const due = decisions.filter(({ definition }) => (this.#refusals.get(definition.uid)?.until ?? now) <= now);
    if (due.length === 0) return;
    await inParallel(onePage(due), WRITES, async (decision) => {
      if (!run.goesOn) return;
      try {
        await writer.decide(decision, run);
        this.#refusals.delete(decision.definition.uid);
      } catch (error) {
        if (run.goesOn) this.#refused(decision, error);
      }
    });
    if (run.goesOn) await informer.confirm();
  }

  /** @throws the error where it is not about this one definition */
  #refused({ definition: { uid } }: DefinitionDecision, error: unknown): void {
    if (!(error instanceof StatusError)) throw error;
    this.options.onError(error);
    const backoff = this.#refusals.get(uid)?.backoff ?? new Backoff(RETRY);
    this.#refusals.set(uid, { backoff, until: this.#clock.now() + backoff.next() });
  }

  /**
   * Forgets rejections of definitions that are finished or gone.
   * @param now when this round began: what was due then has been retried
   * @returns milliseconds until the next retry
   */
  #untilRetry(now: number): number | undefined {
    if (this.#refusals.size === 0) return undefined;
    const unfinished = new Set([...this.options.informer.unfinished].map(({ uid }) => uid));
    for (const uid of this.#refusals.keys()) if (!unfinished.has(uid)) this.#refusals.delete(uid);
    const times = [...this.#refusals.values()].flatMap(({ until }) => (until > now ? [until] : []));
    return times.length > 0 ? Math.max(0, Math.min(...times) - this.#clock.now()) : undefined;
  }
}
