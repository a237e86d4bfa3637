import type { JsonObject } from '@orch/machinery';
import {
  differenceInSteps,
  intersectionInSteps,
  recursiveDifferenceInSteps,
  unionInSteps,
} from '../paths/algebra-in-steps.js';
import { type FieldSet, NO_FIELDS, union } from '../paths/field-set.js';
import { Remembered } from '../paths/remembered.js';
import { difference } from '../paths/set-algebra.js';
import { STEP, type Steps } from '../steps.js';
import { ownedInSteps } from '../values/field-set-of.js';
import { mergeInSteps } from '../values/merge.js';
import { type Changes, ChangesByVersion } from './changes.js';
import { type Conflict, Conflicts, inOrder } from './conflict.js';
import type { Work } from './conversion.js';
import { currentOwners, mayTouchInSteps } from './current-fields.js';
import type { Owners } from './entries.js';
import type { ManagedKind, VersionTypes } from './kind.js';
import { ownable } from './never-owned.js';
import { identifier, type ManagerIdentifier, Owner } from './owner.js';
import { pruned } from './prune.js';

/** An update: the live and wanted objects, and the writer. */
interface Update {
  readonly live: JsonObject;
  readonly next: JsonObject;
  readonly owners: Owners;
  /** Key of the entry that changed fields go to. */
  readonly identity: ManagerIdentifier;
  /** Time for the entry if anything changes. */
  readonly time: string;
}

// An instance for each pair of sets that meet in an update: each caches one result.
const setIn = new Remembered(difference, differenceInSteps);
const neverOwnedOf = new Remembered(difference, differenceInSteps);
const remaining = new Remembered(difference, differenceInSteps);
const lost = new Remembered(union, unionInSteps);
const joined = new Remembered(union, unionInSteps);

/** Computes the owners after a change: changed fields belong to the writer, and to none of their previous owners. */
export function* updateOwners(kind: ManagedKind, update: Update): Work<Map<string, Owner>> {
  const { live, next, identity } = update;
  const changes = yield* ChangesByVersion.between(kind, 'stored', live, next);
  yield STEP;
  const id = identifier(identity);
  const left = yield* withoutChanged(yield* currentOwners(kind, update.owners), changes, id);
  yield STEP;
  const before = left.get(id);
  if (before) yield* before.read();
  const writer = yield* writerAfter(before, changes.own, update);
  if (writer) left.set(id, writer);
  else left.delete(id);
  return left;
}

/**
 * The writer's entry; undefined for none. Fields that it owned already are not removed first, so that its set stays the
 * same instance.
 */
function* writerAfter(
  before: Owner | undefined,
  { set, removed }: Changes,
  { identity, time }: Update,
): Work<Owner | undefined> {
  const changed = setIn.known(set, removed) ?? (yield* setIn.made(set, removed));
  const fields = yield* ownable(changed);
  const never = before && (neverOwnedOf.known(changed, fields) ?? (yield* neverOwnedOf.made(changed, fields)));
  const gone = never && (lost.known(removed, never) ?? (yield* lost.made(removed, never)));
  const had = before && gone && (yield* isTouched(before, gone)) ? yield* without(before, gone) : before;
  if (fields.isEmpty) return had === before || had?.fields.isEmpty === false ? had : undefined;
  return Owner.of(
    identity,
    time,
    had ? (joined.known(had.fields, fields) ?? (yield* joined.made(had.fields, fields))) : fields,
  );
}

/** Whether an owner may own some of the removed fields. */
function* isTouched(owner: Owner, gone: FieldSet): Steps<boolean> {
  return !gone.isEmpty && (yield* mayTouchInSteps(gone, owner.written));
}

/** Returns an owner without removed fields. */
function* without(owner: Owner, gone: FieldSet): Work<Owner> {
  yield STEP;
  const fields = yield* owner.read();
  yield STEP;
  return owner.with(remaining.known(fields, gone) ?? (yield* remaining.made(fields, gone)));
}

/** Removes changed fields from all owners. */
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
    const now = (yield* isTouched(owner, changed.all)) ? yield* without(owner, changed.all) : owner;
    if (now === owner || !now.fields.isEmpty) left.set(id, now);
  }
  return left;
}

/** Result of an apply. */
export interface Applied {
  /** The object with the applied configuration; undefined when that changes nothing. */
  readonly object: JsonObject | undefined;
  readonly owners: Map<string, Owner>;
}

/** An apply: the configuration, and its applier. */
interface Application {
  readonly types: VersionTypes;
  readonly live: JsonObject;
  readonly said: JsonObject;
  readonly owners: Owners;
  /** Identifier of the applier's entry. */
  readonly id: string;
  /** Key of the applier's entry. */
  readonly identity: ManagerIdentifier;
  /** Takes changed fields over from their owners. */
  readonly force: boolean;
}

/** Merges the configuration into the object, and removes fields that it no longer holds. @throws Conflicts */
export function* applyTo(kind: ManagedKind, application: Application): Work<Applied> {
  const { types, live, said, id, force } = application;
  const owners = yield* currentOwners(kind, application.owners);
  const last = owners.get(id);
  const reset = kind.resetFields?.get(kind.apiVersion) ?? NO_FIELDS;
  const owned = yield* ownedInSteps(types.said, said);
  yield STEP;
  const fields = yield* recursiveDifferenceInSteps(owned, reset);
  owners.set(id, Owner.of(application.identity, last?.time, fields));
  yield STEP;
  const joined = yield* mergeInSteps(types.said, live, said);
  yield STEP;
  const merged = yield* pruned(kind, joined, last, owners);
  yield STEP;
  const changes = yield* ChangesByVersion.between(kind, 'said', live, merged);
  if (!force) yield* refuseConflicts(owners, changes, id);
  const left = yield* withoutChanged(owners, changes, id);
  if (fields.isEmpty) left.delete(id);
  return { object: changes.own.all.isEmpty ? undefined : merged, owners: left };
}

/** @throws Conflicts when changed fields have other owners */
function* refuseConflicts(owners: Owners, changes: ChangesByVersion, applier: string): Work<void> {
  const conflicts: Conflict[] = [];
  for (const [id, owner] of owners) {
    yield STEP;
    if (id === applier) continue;
    const changed = yield* changes.in(owner.identity.apiVersion);
    if (changed === undefined || !(yield* mayTouchInSteps(changed.set, owner.written))) continue;
    const owned = yield* owner.read();
    yield STEP;
    const fields = yield* intersectionInSteps(owned, changed.set);
    if (!fields.isEmpty) conflicts.push({ id, owner: owner.identity, fields });
  }
  if (conflicts.length > 0) throw new Conflicts(inOrder(conflicts));
}
