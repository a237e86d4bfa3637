import { type AcceptedNames, cleanupFinalizer, withConditions } from '@orch/kinds';
import { type ApiObject, ensureMetadata, type JsonObject, type Names } from '@orch/machinery';
import { type OwnRun, type OwnWrites, updateOwn } from '@orch/writing';
import type { Decision } from './decisions.js';
import type { Definition } from './definition.js';

/** Where definitions are written, in the version that is stored. */
interface DefinitionWriterOptions extends Omit<OwnWrites, 'run'> {
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Writes to definitions what the server itself has to say of them, the way that every write goes, as long as the run goes on. */
export class DefinitionWriter {
  constructor(private readonly options: DefinitionWriterOptions) {}

  /**
   * Tells what was decided, unless the definition has changed since: it will be decided on anew then.
   * @throws StatusError, StoreUnavailableError
   */
  tell({ definition, names, conditions }: Decision, run: OwnRun): Promise<void> {
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

  /** Tells a condition of the definition whatever else has changed. @throws StatusError, StoreUnavailableError */
  report(definition: Definition, condition: Decision['conditions'][number], run: OwnRun): Promise<void> {
    return updateOwn({ ...this.options, run }, definition, 'status', (current) => {
      const conditions = withConditions(current as JsonObject, [condition], this.options.now());
      current.status = { ...(current.status as object | undefined), conditions };
      return current;
    });
  }

  /**
   * Tells that all objects lie in the version that is stored, unless the definition has changed since.
   * @throws StatusError, StoreUnavailableError
   */
  migrated(definition: Definition, condition: Decision['conditions'][number], run: OwnRun): Promise<void> {
    return updateOwn({ ...this.options, run }, definition, 'status', (current) => {
      if (current.metadata?.resourceVersion !== String(definition.version)) return current;
      const conditions = withConditions(current as JsonObject, [condition], this.options.now());
      const storedVersions = [definition.storageVersion];
      current.status = { ...(current.status as object | undefined), storedVersions, conditions };
      return current;
    });
  }

  /** Lets the definition go, if nobody else keeps it: its objects are gone. @throws StatusError, StoreUnavailableError */
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

/** As objects are written: what is empty is left out where it may be. */
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
