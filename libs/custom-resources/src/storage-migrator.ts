import { type DefinitionCondition, MIGRATION } from '@orch/kinds';
import { type Clock, systemClock } from '@orch/runtime';
import { latched } from '@orch/runtime/work';
import type { Version } from '@orch/storage';
import type { OwnRun, Rewriting } from '@orch/writing';
import { type Definition, tells } from './definition.js';
import type { DefinitionWriter } from './definition-writer.js';
import type { CustomKind } from './served-definitions.js';

/** Dependencies of a {@link StorageMigrator}. */
export interface StorageMigratorOptions<E> {
  /** Writes the status of definitions. */
  readonly writer: Pick<DefinitionWriter, 'report' | 'migrated'>;
  /** Returns the current definition of a name. */
  definitionOf(name: string): Definition | undefined;
  /** Returns the kind that is served of a definition. @throws the error that kept it from being made */
  kindOf(definition: Definition): Promise<CustomKind<E>>;
  /** Rewrites all objects of a kind that are stored in another version than the storage version. */
  rewrite(kind: CustomKind<E>, stopped: () => boolean, onDone: (rewriting: Rewriting) => void): Promise<void>;
  /** Called for each object that was rewritten, or could not be. */
  readonly onRewriting?: (definition: Definition, rewriting: Rewriting) => void;
  /** Milliseconds from when all servers serve a definition until none of them writes by the one before any more. */
  readonly settlingMs: number;
  /** Called with the error of a migration that failed; it is retried. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two reports of progress, and until a failed migration is retried. */
const TELL_MS = 10_000;
const RETRY_MS = 60_000;

/** When a migration may begin, for the definition that was last changed at a version. */
interface Waiting {
  readonly since: Version;
  readonly notBefore: number;
}

/**
 * Rewrites the objects of definitions whose storage version has changed, one definition at a time, and then records in
 * the definition's status that no other version is stored. Objects in the storage version are skipped, so that another
 * server can take over.
 */
export class StorageMigrator<E> {
  readonly #clock: Clock;
  /** Definitions that wait, by uid. */
  readonly #waiting = new Map<string, Waiting>();
  #working: Promise<void> | undefined;

  constructor(private readonly options: StorageMigratorOptions<E>) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns definitions whose objects may be stored in another version. */
  pending(definitions: Iterable<Definition>): Definition[] {
    return [...definitions].filter(
      ({ isEstablished, isTerminating, storageVersion, storedVersions }) =>
        isEstablished && !isTerminating && storedVersions.some((version) => version !== storageVersion),
    );
  }

  /**
   * Starts the migration of a definition that is due.
   * @param served version of the definitions that all servers serve
   * @param run when it ends, work in progress is aborted and its result is not written
   * @returns milliseconds until this should be called again
   */
  begin(pending: readonly Definition[], served: Version, run: OwnRun): number {
    const now = this.#clock.now();
    this.#forget(pending);
    for (const definition of pending) {
      const { uid, since } = definition;
      if (since > served || this.#waiting.get(uid)?.since === since) continue;
      this.#waiting.set(uid, { since, notBefore: now + this.options.settlingMs });
    }
    const due = pending.find(({ uid, since }) => this.#isDue(uid, since, now));
    if (due && !this.#working) {
      this.#working = this.#migrate(due, run).finally(() => {
        this.#working = undefined;
      });
    }
    return TELL_MS;
  }

  /** Resolves when work in progress has ended. */
  async idle(): Promise<void> {
    await this.#working;
  }

  #isDue(uid: string, since: Version, now: number): boolean {
    const waiting = this.#waiting.get(uid);
    return waiting?.since === since && waiting.notBefore <= now;
  }

  #forget(pending: readonly Definition[]): void {
    const uids = new Set(pending.map(({ uid }) => uid));
    for (const uid of this.#waiting.keys()) if (!uids.has(uid)) this.#waiting.delete(uid);
  }

  /** Never rejects. */
  async #migrate(definition: Definition, own: OwnRun): Promise<void> {
    const { uid, since } = definition;
    const { onError } = this.options;
    try {
      const run = new Run(definition, own, this.options, this.#clock);
      await run.tell(MIGRATION.inProgress(0));
      await run.rewrite();
      if (run.isOver()) return;
      if (run.failure) {
        this.#waiting.set(uid, { since, notBefore: this.#clock.now() + RETRY_MS });
        return await run.tell(MIGRATION.failed(run.failed, run.failure));
      }
      await run.finish();
    } catch (error) {
      this.#waiting.set(uid, { since, notBefore: this.#clock.now() + RETRY_MS });
      if (own.goesOn) onError(error);
    }
  }
}

/** A pass over all objects of a definition. */
class Run<E> {
  failed = 0;
  /** Error of the first object that could not be written. */
  failure: string | undefined;
  #rewritten = 0;
  #isOver: () => boolean;
  #telling: Promise<void> | undefined;
  #toldAt: number;

  constructor(
    private readonly definition: Definition,
    private readonly own: OwnRun,
    private readonly options: StorageMigratorOptions<E>,
    private readonly clock: Clock,
  ) {
    this.#toldAt = clock.now();
    this.#isOver = latched(() => !own.goesOn || this.#current() === undefined);
  }

  /** Whether it has been broken off: objects may have been passed over then. */
  isOver(): boolean {
    return this.#isOver();
  }

  /** @throws StoreUnavailableError */
  async rewrite(): Promise<void> {
    const { kindOf, rewrite } = this.options;
    const kind = await kindOf(this.definition);
    await rewrite(kind, this.#isOver, (rewriting) => this.#count(rewriting)).finally(() => this.#telling);
  }

  /** Records the completion, unless the definition has changed meanwhile: it is migrated anew then. */
  async finish(): Promise<void> {
    const now = this.#current();
    if (now) await this.options.writer.migrated(now, MIGRATION.completed(this.#rewritten), this.own);
  }

  /** Writes a condition unless it is there already. */
  async tell(condition: DefinitionCondition): Promise<void> {
    const now = this.#current();
    if (now && !tells(now.outline, condition)) await this.options.writer.report(now, condition, this.own);
  }

  /** Returns the current definition; undefined if it is a different one, or is served differently by now. */
  #current(): Definition | undefined {
    const { uid, name, since } = this.definition;
    const now = this.options.definitionOf(name);
    return now?.uid === uid && now.since === since ? now : undefined;
  }

  #count(rewriting: Rewriting): void {
    const { onRewriting, onError } = this.options;
    onRewriting?.(this.definition, rewriting);
    if (rewriting.error) {
      this.failed++;
      this.failure ??= rewriting.error.message;
    } else this.#rewritten++;
    const now = this.clock.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    this.#telling = this.tell(MIGRATION.inProgress(this.#rewritten)).catch(onError);
  }
}
