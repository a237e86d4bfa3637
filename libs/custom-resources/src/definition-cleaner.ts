import { cleanupFinalizer, conditionOf, type DefinitionCondition, TERMINATION } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import { type Clock, systemClock } from '@orch/runtime';
import { latched } from '@orch/runtime/work';
import type { OwnRun } from '@orch/writing';
import type { Definition } from './definition.js';
import type { DefinitionWriter } from './definition-writer.js';
import type { CustomKind } from './served-definitions.js';

interface DefinitionCleanerOptions<E> {
  readonly names: Names;
  readonly writer: Pick<DefinitionWriter, 'report' | 'release'>;
  /** Returns the kind that is, or was, served of a definition. @throws the error that kept it from being made */
  kindOf(definition: Definition): Promise<CustomKind<E>>;
  /** Deletes all objects of a kind. @returns how many are left, as finalizers keep them */
  empty(kind: CustomKind<E>, stopped: () => boolean): Promise<number>;
  isBuiltIn(group: string, resource: string): boolean;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Definitions whose objects are deleted at a time. */
const AT_A_TIME = 4;
/** Milliseconds between two checks whether objects remain that finalizers keep. */
const PAUSE_MS = 1_000;

/** Deletes the objects of definitions that are being deleted, and then lets these go. */
export class DefinitionCleaner<E> {
  readonly #clock: Clock;
  readonly #working = new Map<string, Promise<void>>();
  /** Earliest time of the next attempt, monotonic milliseconds, by uid. */
  readonly #notBefore = new Map<string, number>();

  constructor(private readonly options: DefinitionCleanerOptions<E>) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Definitions that wait for their objects. */
  pending(definitions: Iterable<Definition>): Definition[] {
    const finalizer = cleanupFinalizer(this.options.names);
    return [...definitions].filter(
      ({ isTerminating, outline }) => isTerminating && outline.metadata?.finalizers?.includes(finalizer),
    );
  }

  /**
   * Starts the deletion of objects of the definitions that are due.
   * @param drained those of `pending` of which no server creates objects any more
   * @param run when it ends, work in progress is aborted and its result is not written
   * @returns milliseconds until this should be called again
   */
  begin(pending: readonly Definition[], drained: readonly Definition[], run: OwnRun): number {
    const now = this.#clock.now();
    this.#forget(pending);
    for (const definition of drained) {
      if (this.#working.size >= AT_A_TIME) break;
      const { uid } = definition;
      if (this.#working.has(uid) || (this.#notBefore.get(uid) ?? 0) > now) continue;
      this.#notBefore.set(uid, Number.POSITIVE_INFINITY);
      const work = this.#clean(definition, run).finally(() => {
        this.#working.delete(uid);
        this.#notBefore.set(uid, this.#clock.now() + PAUSE_MS);
      });
      this.#working.set(uid, work);
    }
    return PAUSE_MS;
  }

  /** Resolves when work in progress has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  #forget(pending: readonly Definition[]): void {
    const uids = new Set(pending.map(({ uid }) => uid));
    for (const uid of this.#notBefore.keys()) {
      if (!uids.has(uid) && !this.#working.has(uid)) this.#notBefore.delete(uid);
    }
  }

  /** Never rejects. */
  async #clean(definition: Definition, run: OwnRun): Promise<void> {
    const { writer, onError } = this.options;
    const stopped = latched(() => !run.goesOn);
    try {
      await this.#tell(definition, TERMINATION.inProgress, run);
      const outcome = await this.#outcomeOf(definition, stopped);
      if (stopped()) return;
      if (outcome.status === 'True') return await this.#tell(definition, outcome, run);
      await writer.report(definition, outcome, run);
      await writer.release(definition, run);
    } catch (error) {
      if (!stopped()) onError(error);
    }
  }

  /** Deletes the objects and returns the resulting condition; one that is not true any more ends the work. */
  async #outcomeOf(definition: Definition, stopped: () => boolean): Promise<DefinitionCondition> {
    const { kindOf, empty, isBuiltIn, onError } = this.options;
    const { group, names, isEstablished } = definition;
    // Names that were never all accepted were never served.
    if (names.plural === '' || names.kind === '') return TERMINATION.neverEstablished;
    if (isBuiltIn(group, names.plural)) return TERMINATION.overlapping;
    try {
      const left = await empty(await kindOf(definition), stopped);
      if (left > 0) return TERMINATION.remaining(`${left} ${left === 1 ? 'is' : 'are'} still there`);
    } catch (error) {
      if (!stopped()) onError(error);
      return TERMINATION.failed(error instanceof Error ? error.message : String(error));
    }
    return isEstablished ? TERMINATION.completed : TERMINATION.neverEstablished;
  }

  /**
   * Writes a condition unless it is there already, and does not overwrite a condition that says what blocks the
   * deletion with one that says that it begins.
   */
  async #tell(definition: Definition, condition: DefinitionCondition, run: OwnRun): Promise<void> {
    const told = conditionOf(definition.outline, 'Terminating');
    if (condition === TERMINATION.inProgress && told && told.reason !== TERMINATION.pending.reason) return;
    if (told?.reason === condition.reason && told.message === condition.message) return;
    await this.options.writer.report(definition, condition, run);
  }
}
