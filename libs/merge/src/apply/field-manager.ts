import { badRequest, type JsonObject, type JsonValue } from '@orch/machinery';
import { isObject } from '../json-values.js';
import { capped } from './managed/cap.js';
import { Conflicts, conflictStatus, seenThrough, type View } from './managed/conflict.js';
import { type Converter, type Pause, runAsync, runSync, type Work } from './managed/conversion.js';
import { isReset, NO_OWNERS, type Owners, readSent, readStored, whole, writeInSteps } from './managed/entries.js';
import { ApplyError, ManagedFieldsError } from './managed/errors.js';
import { kindText, type ManagedKind, objectText, type VersionTypes } from './managed/kind.js';
import { KUBECTL, unexplained, withLastApplied } from './managed/last-applied.js';
import { enter, managedFieldsOf, withManagedFields } from './managed/metadata.js';
import { ownable } from './managed/never-owned.js';
import { identifier, type ManagedFieldsOperation, type ManagerIdentifier, Owner } from './managed/owner.js';
import { type Applied, applyTo, updateOwners } from './managed/updater.js';
import { FieldsV1Error } from './paths/written-level.js';
import { STEP, type Steps } from './steps.js';
import type { Type } from './types/type.js';
import { areFew } from './values/few.js';
import { misfitsInSteps, misfitText } from './values/fit.js';
import { spelledInSteps } from './values/spelled-out.js';

/** Manager of the fields that an object had before their owners were known. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Name of a manager whose request gives none. */
const UNKNOWN = 'unknown';

/** The parts of a write that ownership depends on. */
export interface ManagedUpdateOptions {
  /** Name of the manager: `fieldManager`, or the result of {@link managerOf} for the user agent. Empty: `unknown`. */
  readonly manager: string;
  /** Time of the write; entries hold whole seconds. */
  readonly now: Date;
}

/** Options of an apply. */
export interface ManagedApplyOptions extends ManagedUpdateOptions {
  /** Changes fields of other managers too, and takes them over. Default false: a conflict. */
  readonly force?: boolean;
  /** View through which the request was made, if not the object itself; conflicts are reported in its terms. */
  readonly view?: View;
}

/**
 * Maintains `metadata.managedFields` of the objects of a kind: which manager owns which fields, by having set them
 * (create, update, patches) or by applying them. One for each kind, version and subresource; it keeps no object.
 */
export class FieldManager {
  constructor(
    private readonly kind: ManagedKind,
    /** Converts between the versions of the kind; called only for versions that {@link ManagedKind.typesOf} knows. */
    private readonly convert: Converter,
  ) {}

  /**
   * Returns the object of a create, an update or a patch with its entries: the manager owns whatever changed against
   * the live object. Objects that do not fit their schema are managed as far as possible, and lose no entry. Neither
   * object is changed; the result shares parts with them.
   * @param live undefined for a create
   * @param next the object to store, before admission; entries that it brings are used, so far as they can be read
   * @throws whatever the converter throws
   */
  update(live: JsonObject | undefined, next: JsonObject, options: ManagedUpdateOptions): JsonObject {
    return runSync(() => this.#update(live ?? {}, next, options), this.convert);
  }

  /** Same as {@link update}, with a converter that may call out, and pauses for large objects. */
  updateAsync(
    live: JsonObject | undefined,
    next: JsonObject,
    options: ManagedUpdateOptions,
    pause?: Pause,
  ): Promise<JsonObject> {
    const turns = { pause, isLittle: areFew(live, next) };
    return runAsync(this.#update(live ?? {}, next, options), this.convert, turns);
  }

  /**
   * Merges an applied configuration into the live object. The result has the fields that clients with declared types
   * always write. Neither is changed; the result shares parts with both.
   * @param live undefined for a create
   * @param said the applied configuration
   * @throws StatusError 409 for fields of other managers that would change, with a cause for each; 400 for another
   * version, and for managedFields entries in the configuration
   * @throws ApplyError for objects that do not fit the schema
   */
  apply(live: JsonObject | undefined, said: JsonObject, options: ManagedApplyOptions): JsonObject {
    return runSync(() => this.#apply(live ?? {}, said, options), this.convert);
  }

  /** Same as {@link apply}, with a converter that may call out, and pauses for large objects. */
  applyAsync(
    live: JsonObject | undefined,
    said: JsonObject,
    options: ManagedApplyOptions,
    pause?: Pause,
  ): Promise<JsonObject> {
    const turns = { pause, isLittle: areFew(live, said) };
    return runAsync(this.#apply(live ?? {}, said, options), this.convert, turns);
  }

  *#update(live: JsonObject, next: JsonObject, options: ManagedUpdateOptions): Work<JsonObject> {
    const stored = managedFieldsOf(live);
    const sent = this.kind.subresource ? undefined : managedFieldsOf(next);
    const reset = isReset(sent);
    const owners = reset ? NO_OWNERS : yield* ownersOf(sent, stored);
    const after = withManagedFields(next, undefined);
    // Without known owners of the other fields, no owner is recorded for the changed ones.
    if (owners.size === 0 && !reset && hasUid(live)) return after;
    const before = withManagedFields(live, undefined);
    let left: Owners;
    try {
      left = yield* this.#updated(before, after, owners, options);
    } catch (error) {
      if (!(error instanceof FieldsV1Error)) throw error;
      left = yield* this.#updated(before, after, yield* undamaged(owners), options);
    }
    return enter(after, yield* writeInSteps(left));
  }

  *#updated(
    live: JsonObject,
    next: JsonObject,
    owners: Owners,
    options: ManagedUpdateOptions,
  ): Work<Map<string, Owner>> {
    const identity = this.#identity(options.manager, 'Update');
    return yield* capped(yield* updateOwners(this.kind, { live, next, owners, identity, time: timeOf(options.now) }));
  }

  *#apply(live: JsonObject, said: JsonObject, options: ManagedApplyOptions): Work<JsonObject> {
    try {
      return yield* this.#merged(live, said, options);
    } catch (error) {
      if (!(error instanceof FieldsV1Error)) throw error;
      throw new ApplyError(`failed to decode managed fields: ${error.message}`);
    }
  }

  *#merged(live: JsonObject, said: JsonObject, options: ManagedApplyOptions): Work<JsonObject> {
    const types = this.#typesForApply(said);
    const spelled = yield* this.#spelled(types, live);
    yield STEP;
    const owners = yield* this.#ownersBefore(types, live, spelled, options);
    yield STEP;
    yield* refuseMisfits(types.said, said, `failed to create typed patch object (${objectText(said)})`);
    yield STEP;
    yield* refuseMisfits(types.said, spelled, `failed to create typed live object (${objectText(live)})`);
    yield STEP;
    const { object, owners: left } = yield* this.#applied(types, spelled, said, owners, options);
    yield STEP;
    const written = object ? yield* spelledInSteps(types.stored, object) : spelled;
    yield STEP;
    const noted = options.manager === KUBECTL ? withLastApplied(written, said) : written;
    return withManagedFields(noted, yield* writeInSteps(left));
  }

  /** @throws StatusError, ApplyError for what cannot be applied to any object */
  #typesForApply(said: JsonObject): VersionTypes {
    const { apiVersion, kind } = this.kind;
    if (said.apiVersion !== apiVersion) {
      const specified = typeof said.apiVersion === 'string' ? said.apiVersion : '';
      throw badRequest(
        `Incorrect version specified in apply patch. Specified patch version: ${specified}, expected: ${apiVersion}`,
      );
    }
    const entries = managedFieldsOf(said);
    if (entries !== undefined && entries !== null) throw badRequest('metadata.managedFields must be nil');
    const types = said.kind === kind ? this.kind.typesOf(apiVersion) : undefined;
    if (types) return types;
    const text = kindText(apiVersion, String(said.kind ?? ''));
    throw new ApplyError(
      `failed to create typed patch object (${objectText(said)}): no corresponding type for ${text}`,
    );
  }

  #spelled(types: VersionTypes, live: JsonObject): Steps<JsonObject> {
    const { apiVersion, kind } = this.kind;
    return spelledInSteps(types.stored, { apiVersion, kind, ...withManagedFields(live, undefined) });
  }

  /** The owners before an apply; all fields that exist have an owner, if need be one without a name. */
  *#ownersBefore(
    types: VersionTypes,
    live: JsonObject,
    spelled: JsonObject,
    options: ManagedApplyOptions,
  ): Work<Owners> {
    const owners = ownersToApplyTo(managedFieldsOf(live));
    if (owners.size > 0) return owners;
    yield* refuseMisfits(
      types.said,
      spelled,
      `failed to create manager for existing fields: failed to convert new object (${objectText(live)}) to smd typed`,
    );
    return yield* this.#updated({}, spelled, NO_OWNERS, { ...options, manager: BEFORE_FIRST_APPLY });
  }

  /** Merges. Fields from kubectl's earlier client-side apply are no conflict for it. @throws StatusError */
  *#applied(
    types: VersionTypes,
    live: JsonObject,
    said: JsonObject,
    owners: Owners,
    options: ManagedApplyOptions,
  ): Work<Applied> {
    const identity = this.#identity(options.manager, 'Apply');
    const id = identifier(identity);
    const application = { types, live, said, owners, id, identity, force: options.force ?? false };
    let applied: Applied;
    try {
      applied = yield* applyTo(this.kind, application);
    } catch (error) {
      if (!(error instanceof Conflicts)) throw error;
      const left = options.manager === KUBECTL ? yield* unexplained(error, types.said, live) : error;
      if (left) throw conflictStatus(options.view ? seenThrough(options.view, left) : left);
      applied = yield* applyTo(this.kind, { ...application, force: true });
    }
    return { object: applied.object, owners: yield* settled(applied, id, options.now) };
  }

  #identity(manager: string, operation: ManagedFieldsOperation): ManagerIdentifier {
    const { apiVersion, subresource = '' } = this.kind;
    return { manager: manager === '' ? UNKNOWN : manager, operation, apiVersion, subresource };
  }
}

/** The applier's entry without fields that are never owned; its time is updated if it changed anything. */
function* settled({ object, owners }: Applied, id: string, now: Date): Steps<Map<string, Owner>> {
  const applier = owners.get(id);
  if (applier === undefined) return owners;
  const fields = yield* ownable(applier.fields);
  if (fields.isEmpty) owners.delete(id);
  else owners.set(id, Owner.of(applier.identity, object ? timeOf(now) : applier.time, fields));
  return owners;
}

/** Entries of the request, if it has any that can be read; else the stored ones, so far as they can be read. */
function* ownersOf(sent: JsonValue | undefined, stored: JsonValue | undefined): Work<Owners> {
  try {
    const owners = yield* readSent(sent, stored);
    if (owners.size > 0) return owners;
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
  }
  return readableOwners(stored);
}

function readableOwners(stored: JsonValue | undefined): Owners {
  try {
    return readStored(stored);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return NO_OWNERS;
    throw error;
  }
}

/** The owners whose fields can be read: those of the others are lost. */
function* undamaged(owners: Owners): Work<Owners> {
  const left = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    try {
      left.set(id, yield* whole(owner));
    } catch (error) {
      if (!(error instanceof ManagedFieldsError)) throw error;
    }
  }
  return left;
}

/** @throws ApplyError when they cannot be read: the fields to remove are not known then */
function ownersToApplyTo(stored: JsonValue | undefined): Owners {
  try {
    return readStored(stored);
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    throw new ApplyError(`failed to decode managed fields: ${error.message}`);
  }
}

/** @throws ApplyError */
function* refuseMisfits(type: Type, object: JsonObject, what: string): Steps<void> {
  const misfits = yield* misfitsInSteps(type, object);
  if (misfits.length > 0) throw new ApplyError(`${what}: ${misfitText(misfits)}`, misfits);
}

const hasUid = ({ metadata }: JsonObject): boolean =>
  isObject(metadata) && metadata.uid !== undefined && metadata.uid !== null && metadata.uid !== '';

/** Formats whole seconds, as in entries. */
function timeOf(now: Date): string {
  const second = Math.floor(now.getTime() / 1000);
  if (second !== last.second) last = { second, text: `${now.toISOString().slice(0, 19)}Z` };
  return last.text;
}

/** Cached, as all writes of a second have the same text. */
let last = { second: Number.NaN, text: '' };
