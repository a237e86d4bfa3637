import { type Controller, type ReconcileRun, RequeueError } from '@orch/controllers';
import { type DefinitionCondition, MIGRATION } from '@orch/kinds';
import { type Clock, systemClock } from '@orch/runtime';
import { latched } from '@orch/runtime/work';
import type { Version } from '@orch/storage';
import type { OwnRun, Rewriting } from '@orch/writing';
import { type Definition, hasCondition } from './definition.js';
import type { DefinitionWriter } from './definition-writer.js';
import { ReadyDefinitions } from './ready-definitions.js';
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
  /** Called with errors of reports about progress. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Milliseconds between two reports of progress, and until a failed migration is retried. */
const REPORT_MS = 10_000;
const RETRY_MS = 60_000;
/** Milliseconds until a pass that a write of the definition has overtaken is made again. */
const AGAIN_MS = 3_000;

/** When a migration may begin, for the definition that was last changed at a version. */
interface Settling {
  readonly since: Version;
  readonly notBefore: number;
}

/**
 * Controller that rewrites the objects of definitions whose storage version has changed, one definition at a time, and
 * then records in the definition's status that no other version is stored. Objects in the storage version are skipped,
 * so that another server can take over.
 */
export class StorageMigrator<E> {
  /** Definitions that all servers serve. */
  readonly ready = new ReadyDefinitions();
  /** The controller, by names of definitions. */
  readonly controller: Controller = {
    name: 'storage-version-migrator',
    sources: [this.ready.source],
    retry: { firstMs: RETRY_MS, longestMs: RETRY_MS },
    reconcile: (name, run) => this.#reconcile(name, run),
  };
  readonly #clock: Clock;
  /** Times at which migrations may begin, by uid. */
  readonly #settling = new Map<string, Settling>();

  constructor(private readonly options: StorageMigratorOptions<E>) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Returns definitions whose objects may be stored in another version. */
  pending(definitions: Iterable<Definition>): Definition[] {
    const pending = [...definitions].filter(
      ({ isEstablished, isTerminating, storageVersion, storedVersions }) =>
        isEstablished && !isTerminating && storedVersions.some((version) => version !== storageVersion),
    );
    const uids = new Set(pending.map(({ uid }) => uid));
    for (const uid of this.#settling.keys()) if (!uids.has(uid)) this.#settling.delete(uid);
    return pending;
  }

  /** @returns milliseconds until servers have settled on the definition; undefined where nothing is left to do */
  async #reconcile(name: string, run: ReconcileRun): Promise<number | undefined> {
    const definition = this.options.definitionOf(name);
    if (!definition || !this.ready.has(definition)) return undefined;
    const rest = this.#restOf(definition);
    if (rest > 0) return rest;
    const pass = new Pass(definition, run, this.options, this.#clock);
    await pass.report(MIGRATION.inProgress(0));
    await pass.rewrite();
    if (pass.isOver()) return undefined;
    if (pass.failure === undefined) return (await pass.finish()) ? undefined : AGAIN_MS;
    await pass.report(MIGRATION.failed(pass.failed, pass.failure));
    throw new RequeueError(pass.failure);
  }

  #restOf({ uid, since }: Definition): number {
    const now = this.#clock.now();
    const known = this.#settling.get(uid);
    if (known?.since === since) return known.notBefore - now;
    this.#settling.set(uid, { since, notBefore: now + this.options.settlingMs });
    return this.options.settlingMs;
  }
}

/** A pass over all objects of a definition. */
class Pass<E> {
  failed = 0;
  /** Error of the first object that could not be written. */
  failure: string | undefined;
  #rewritten = 0;
  #isOver: () => boolean;
  #reporting: Promise<void> | undefined;
  #reportedAt: number;

  constructor(
    private readonly definition: Definition,
    private readonly own: OwnRun,
    private readonly options: StorageMigratorOptions<E>,
    private readonly clock: Clock,
  ) {
    this.#reportedAt = clock.now();
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
    await rewrite(kind, this.#isOver, (rewriting) => this.#count(rewriting)).finally(() => this.#reporting);
  }

  /**
   * Records the completion. A write of the definition meanwhile may have added a version that is not migrated; one that
   * leaves it served as it is wakes nobody, so that the pass has to be made again.
   * @returns false after such a write
   */
  async finish(): Promise<boolean> {
    const now = this.#current();
    return !now || this.options.writer.migrated(now, MIGRATION.completed(this.#rewritten), this.own);
  }

  /** Writes a condition unless it is there already. */
  async report(condition: DefinitionCondition): Promise<void> {
    const now = this.#current();
    if (now && !hasCondition(now.outline, condition)) await this.options.writer.report(now, condition, this.own);
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
    if (now - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = now;
    this.#reporting = this.report(MIGRATION.inProgress(this.#rewritten)).catch(onError);
  }
}
