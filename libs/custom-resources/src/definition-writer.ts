import { type AcceptedNames, cleanupFinalizer, withConditions } from '@orch/kinds';
import { type ApiObject, ensureMetadata, type JsonObject, type Names } from '@orch/machinery';
import { type OwnRun, type UpdateTarget, updateOwn } from '@orch/writing';
import type { DefinitionDecision } from './decisions.js';
import type { Definition } from './definition.js';

/** Endpoint of definitions in the version that is stored, and what writes need. */
interface DefinitionWriterOptions extends Omit<UpdateTarget, 'run'> {
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Writes the status and finalizers of definitions as the server itself, through the pipeline of all writes, for as long
 * as the run goes on.
 */
export class DefinitionWriter {
  constructor(private readonly options: DefinitionWriterOptions) {}

  /**
   * Writes a decision into the status, unless the definition has changed since: it will be decided anew then.
   * @throws StatusError, StoreUnavailableError
   */
  decide({ definition, names, conditions }: DefinitionDecision, run: OwnRun): Promise<void> {
    return updateOwn({ ...this.options, run }, definition, 'status', (current) => {
      if (current.metadata?.resourceVersion !== String(definition.version)) return current;
      const told = withConditions(current as JsonObject, conditions, this.options.now());
      current.status = {
        ...(current.status as object | undefined),
        ...(names && { acceptedNames: shown(names) }),
        conditions: told,
      };
      return current;
    });
  }

  /** Writes a condition of the definition whatever else has changed. @throws StatusError, StoreUnavailableError */
  report(definition: Definition, condition: DefinitionDecision['conditions'][number], run: OwnRun): Promise<void> {
    return updateOwn({ ...this.options, run }, definition, 'status', (current) => {
      const conditions = withConditions(current as JsonObject, [condition], this.options.now());
      current.status = { ...(current.status as object | undefined), conditions };
      return current;
    });
  }

  /**
   * Records that all objects are stored in the storage version, unless the definition has changed since.
   * @returns whether it was recorded
   * @throws StatusError, StoreUnavailableError
   */
  async migrated(
    definition: Definition,
    condition: DefinitionDecision['conditions'][number],
    run: OwnRun,
  ): Promise<boolean> {
    let isCurrent = false;
    await updateOwn({ ...this.options, run }, definition, 'status', (current) => {
      isCurrent = current.metadata?.resourceVersion === String(definition.version);
      if (!isCurrent) return current;
      const conditions = withConditions(current as JsonObject, [condition], this.options.now());
      const storedVersions = [definition.storageVersion];
      current.status = { ...(current.status as object | undefined), storedVersions, conditions };
      return current;
    });
    return isCurrent;
  }

  /**
   * Removes the finalizer of a definition whose objects are deleted, so that it goes unless other finalizers keep it.
   * @throws StatusError, StoreUnavailableError
   */
  release(definition: Definition, run: OwnRun): Promise<void> {
    const finalizer = cleanupFinalizer(this.options.names);
    return updateOwn({ ...this.options, run }, definition, '', (current) => {
      const meta = ensureMetadata(current);
      const left = (meta.finalizers ?? []).filter((name) => name !== finalizer);
      if (left.length > 0) meta.finalizers = left;
      else delete meta.finalizers;
      return current;
    });
  }
}

/** Returns names as they are stored: optional empty members are left out. */
function shown({ plural, singular, shortNames, kind, listKind, categories }: AcceptedNames): ApiObject {
  return {
    plural,
    ...(singular !== '' && { singular }),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    kind,
    ...(listKind !== '' && { listKind }),
    ...(categories.length > 0 && { categories: [...categories] }),
  };
}
