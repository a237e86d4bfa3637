import type { Controller, ReconcileRun } from '@orch/controllers';
import { cleanupFinalizer, conditionOf, type DefinitionCondition, TERMINATION } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import { latched } from '@orch/runtime/work';
import type { OwnRun } from '@orch/writing';
import type { Definition } from './definition.js';
import type { DefinitionWriter } from './definition-writer.js';
import { ReadyDefinitions } from './ready-definitions.js';
import type { CustomKind } from './served-definitions.js';

interface DefinitionCleanerOptions<E> {
  readonly names: Names;
  readonly writer: Pick<DefinitionWriter, 'report' | 'release'>;
  /** Returns the current definition of a name. */
  definitionOf(name: string): Definition | undefined;
  /** Returns the kind that is, or was, served of a definition. @throws the error that kept it from being made */
  kindOf(definition: Definition): Promise<CustomKind<E>>;
  /** Deletes all objects of a kind. @returns how many are left, as finalizers keep them */
  empty(kind: CustomKind<E>, stopped: () => boolean): Promise<number>;
  isBuiltIn(group: string, resource: string): boolean;
}

/** Definitions whose objects are deleted at a time. */
const WORKERS = 4;
/** Milliseconds between two checks whether objects remain that finalizers keep. */
const PAUSE_MS = 1_000;
/** Waits until a definition is tried again whose objects could not be deleted, milliseconds. */
const RETRY = { firstMs: PAUSE_MS, longestMs: 60_000 };

/** Controller that deletes the objects of definitions that are being deleted, and then lets these go. */
export class DefinitionCleaner<E> {
  /** Definitions of which no server creates objects any more. */
  readonly ready = new ReadyDefinitions();
  /** The controller, by names of definitions. */
  readonly controller: Controller = {
    name: 'customresourcedefinition-finalizer',
    sources: [this.ready.source],
    workers: WORKERS,
    retry: RETRY,
    reconcile: (name, run) => this.#clean(name, run),
  };

  constructor(private readonly options: DefinitionCleanerOptions<E>) {}

  /** Definitions that wait for their objects. */
  pending(definitions: Iterable<Definition>): Definition[] {
    const finalizer = cleanupFinalizer(this.options.names);
    return [...definitions].filter(
      ({ isTerminating, outline }) => isTerminating && outline.metadata?.finalizers?.includes(finalizer),
    );
  }

  /** @returns milliseconds until it is looked again whether objects remain; undefined where none do */
  async #clean(name: string, run: ReconcileRun): Promise<number | undefined> {
    const { writer, definitionOf } = this.options;
    const [definition] = this.pending([definitionOf(name)].filter((one) => one !== undefined));
    if (!definition || !this.ready.has(definition)) return undefined;
    const stopped = latched(() => !run.goesOn);
    await this.#report(definition, TERMINATION.inProgress, run);
    const { outcome, error } = await this.#outcomeOf(definition, stopped);
    if (stopped()) return undefined;
    if (outcome.status === 'True') {
      await this.#report(definition, outcome, run);
      if (error !== undefined) throw error;
      return PAUSE_MS;
    }
    await writer.report(definition, outcome, run);
    await writer.release(definition, run);
    return undefined;
  }

  /** Deletes the objects and returns the resulting condition; one that is not true any more ends the work. */
  async #outcomeOf(
    definition: Definition,
    stopped: () => boolean,
  ): Promise<{ outcome: DefinitionCondition; error?: unknown }> {
    const { kindOf, empty, isBuiltIn } = this.options;
    const { group, names, isEstablished } = definition;
    // Names that were never all accepted were never served.
    if (names.plural === '' || names.kind === '') return { outcome: TERMINATION.neverEstablished };
    if (isBuiltIn(group, names.plural)) return { outcome: TERMINATION.overlapping };
    try {
      const left = await empty(await kindOf(definition), stopped);
      if (left > 0) return { outcome: TERMINATION.remaining(`${left} ${left === 1 ? 'is' : 'are'} still there`) };
    } catch (error) {
      return { outcome: TERMINATION.failed(error instanceof Error ? error.message : String(error)), error };
    }
    return { outcome: isEstablished ? TERMINATION.completed : TERMINATION.neverEstablished };
  }

  /**
   * Writes a condition unless it is there already, and does not overwrite a condition that says what blocks the
   * deletion with one that says that it begins.
   */
  async #report(definition: Definition, condition: DefinitionCondition, run: OwnRun): Promise<void> {
    const reported = conditionOf(definition.outline, 'Terminating');
    const isFurther = reported && reported.reason !== TERMINATION.pending.reason;
    if (condition === TERMINATION.inProgress && isFurther) return;
    if (reported?.reason === condition.reason && reported.message === condition.message) return;
    await this.options.writer.report(definition, condition, run);
  }
}
