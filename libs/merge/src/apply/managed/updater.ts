import type { JsonObject } from '@orch/machinery';
import { difference, type FieldSet, intersection, NO_FIELDS, recursiveDifference, union } from '../paths/field-set.js';
import { fieldSetOf } from '../values/field-set-of.js';
import { mergeObjects } from '../values/merge.js';
import { ChangesByVersion } from './changes.js';
import { type Conflict, Conflicts, inOrder } from './conflict.js';
import { STEP, type Work } from './conversion.js';
import { currentOwners, mayTouch } from './current-fields.js';
import type { Owners } from './entries.js';
import type { ManagedKind, VersionTypes } from './kind.js';
import { type Identity, Owner } from './owner.js';
import { pruned } from './prune.js';

/** What a write leaves behind. */
export interface Updated {
  readonly owners: Map<string, Owner>;
  /** What the writer set. */
  readonly set: FieldSet;
}

/**
 * Who owns what after an object was changed: what was changed belongs to nobody of those who had it. Who changed it is
 * for the caller to enter.
 */
export function* updateOwners(kind: ManagedKind, live: JsonObject, next: JsonObject, owners: Owners): Work<Updated> {
  const changes = new ChangesByVersion(kind, 'stored', live, next);
  yield STEP;
  const left = yield* withoutChanged(currentOwners(kind, owners), changes);
  const { set, removed } = changes.own;
  return { owners: left, set: difference(set, removed) };
}

/** Takes from everybody what changed. */
function* withoutChanged(owners: Owners, changes: ChangesByVersion, except?: string): Work<Map<string, Owner>> {
  const left = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    yield STEP;
    if (id === except) {
      left.set(id, owner);
      continue;
    }
    const changed = yield* changes.in(owner.identity.apiVersion);
    if (changed === undefined) continue;
    const now = mayTouch(changed.all, owner.written) ? owner.with(difference(owner.fields, changed.all)) : owner;
    if (now === owner || !now.fields.isEmpty) left.set(id, now);
  }
  return left;
}

/** What an apply makes. */
export interface Applied {
  /** The object with what was applied; undefined when nothing of it changed. */
  readonly object: JsonObject | undefined;
  readonly owners: Map<string, Owner>;
}

/** An apply: what is said, and by whom. */
export interface Application {
  readonly types: VersionTypes;
  readonly live: JsonObject;
  readonly said: JsonObject;
  readonly owners: Owners;
  /** Identifier of the applier's entry. */
  readonly id: string;
  /** Whose entry that is. */
  readonly identity: Identity;
  /** Takes from others what it changes of theirs. */
  readonly force: boolean;
}

/** Merges what is said into the object, and takes away what is not said any more. @throws Conflicts */
export function* applyTo(kind: ManagedKind, application: Application): Work<Applied> {
  const { types, live, said, id, force } = application;
  const owners = currentOwners(kind, application.owners);
  const last = owners.get(id);
  const reset = kind.resetFields?.get(kind.apiVersion) ?? NO_FIELDS;
  const fields = recursiveDifference(fieldSetOf(types.said, said), reset);
  owners.set(id, Owner.of(application.identity, last?.time, fields));
  yield STEP;
  const joined = mergeObjects(types.said, live, said);
  yield STEP;
  const merged = yield* pruned(kind, joined, last, owners);
  yield STEP;
  const changes = new ChangesByVersion(kind, 'said', live, merged);
  if (!force) yield* refuseConflicts(owners, changes, id);
  const left = yield* withoutChanged(owners, changes, id);
  if (fields.isEmpty) left.delete(id);
  return { object: changes.own.all.isEmpty ? undefined : merged, owners: left };
}

/** @throws Conflicts when the changes are to what others own */
function* refuseConflicts(owners: Owners, changes: ChangesByVersion, applier: string): Work<void> {
  const conflicts: Conflict[] = [];
  for (const [id, owner] of owners) {
    yield STEP;
    if (id === applier) continue;
    const changed = yield* changes.in(owner.identity.apiVersion);
    if (changed === undefined || !mayTouch(changed.set, owner.written)) continue;
    const fields = intersection(owner.fields, changed.set);
    if (!fields.isEmpty) conflicts.push({ id, owner: owner.identity, fields });
  }
  if (conflicts.length > 0) throw new Conflicts(inOrder(conflicts));
}

/** The owners, with these fields in addition to what the owner of an entry has. */
export function owning(owners: ReadonlyMap<string, Owner>, id: string, owner: Owner): Map<string, Owner> {
  const previous = owners.get(id);
  const fields = previous ? union(owner.fields, previous.fields) : owner.fields;
  return new Map(owners).set(id, Owner.of(owner.identity, owner.time, fields));
}
