import type { JsonObject } from '@orch/machinery';
import {
  coversInSteps,
  differenceInSteps,
  intersectionInSteps,
  unionInSteps,
  unionOfInSteps,
} from '../paths/algebra-in-steps.js';
import type { FieldSet } from '../paths/field-set.js';
import { STEP } from '../steps.js';
import { namedInSteps } from '../values/field-set-of.js';
import { namedFieldsInSteps } from '../values/named-fields.js';
import { removeInSteps } from '../values/remove.js';
import type { Work } from './conversion.js';
import type { Owners } from './entries.js';
import type { ManagedKind } from './kind.js';
import type { Owner } from './owner.js';

/**
 * Removes from the merged object the fields that the applier gave up: fields that it applied the last time, does not
 * apply now, and that have no other owner, neither by apply nor by update. An item of a list is removed only when all
 * that is left of it may be removed.
 * @param last the applier's entry before
 * @param owners all owners, the applier with what it applies now
 */
export function* pruned(
  kind: ManagedKind,
  merged: JsonObject,
  last: Owner | undefined,
  owners: Owners,
): Work<JsonObject> {
  if (last === undefined || (yield* last.read()).isEmpty || (yield* appliesStill(last, owners))) return merged;
  const { apiVersion } = last.identity;
  const type = kind.typesOf(apiVersion)?.configuration;
  const before = yield* inVersion(kind, merged, kind.apiVersion, apiVersion);
  if (type === undefined || before === undefined) return merged;
  yield STEP;
  const applied = yield* namedFieldsInSteps(type, last.fields);
  yield STEP;
  const without = yield* removeInSteps(type, before, applied);
  yield STEP;
  const had = yield* namedInSteps(type, before);
  yield STEP;
  const kept = yield* withOwned(kind, { merged: before, had, left: without, apiVersion }, owners);
  const left = (yield* inVersion(kind, kept.left, kept.apiVersion, apiVersion)) ?? before;
  yield STEP;
  const has = yield* namedInSteps(type, left);
  yield STEP;
  const gone = yield* intersectionInSteps(yield* differenceInSteps(had, has), applied);
  yield STEP;
  const result = yield* removeInSteps(type, before, gone);
  return (yield* inVersion(kind, result, apiVersion, kind.apiVersion)) ?? merged;
}

/** Whether all applied fields are applied again, by any manager: then there is nothing to remove. */
function* appliesStill(last: Owner, owners: Owners): Work<boolean> {
  const applied = yield* last.read();
  for (const owner of owners.values()) {
    if (owner.identity.apiVersion !== last.identity.apiVersion) continue;
    const fields = yield* owner.read();
    yield STEP;
    if (yield* coversInSteps(fields, applied)) return true;
  }
  return false;
}

interface Pruning {
  readonly merged: JsonObject;
  /** Fields of `merged`, with those that lead to them. */
  readonly had: FieldSet;
  /** The object after the removal so far. */
  readonly left: JsonObject;
  /** Version that both are in. */
  readonly apiVersion: string;
}

/** Restores fields that have owners, one version after the other, the objects' own version first. */
function* withOwned(kind: ManagedKind, pruning: Pruning, owners: Owners): Work<Pruning> {
  const owned = new Map<string, FieldSet[]>([[pruning.apiVersion, []]]);
  for (const owner of owners.values()) {
    const { identity } = owner;
    const sets = owned.get(identity.apiVersion) ?? [];
    sets.push(yield* owner.read());
    owned.set(identity.apiVersion, sets);
  }
  let now = pruning;
  for (const [apiVersion, sets] of owned) {
    const fields = yield* unionOfInSteps(sets);
    const type = kind.typesOf(apiVersion)?.configuration;
    if (type === undefined || fields.isEmpty) continue;
    const merged = yield* inVersion(kind, now.merged, now.apiVersion, apiVersion);
    const left = merged && (yield* inVersion(kind, now.left, now.apiVersion, apiVersion));
    if (!merged || !left) continue;
    yield STEP;
    const there = yield* namedInSteps(type, left);
    yield STEP;
    const stays = yield* unionInSteps(there, yield* namedFieldsInSteps(type, fields));
    yield STEP;
    const had = merged === now.merged ? now.had : yield* namedInSteps(type, merged);
    yield STEP;
    const gone = yield* differenceInSteps(had, stays);
    yield STEP;
    now = { merged, had, left: yield* removeInSteps(type, merged, gone), apiVersion };
  }
  return now;
}

function* inVersion(kind: ManagedKind, object: JsonObject, from: string, to: string): Work<JsonObject | undefined> {
  if (from === to) return object;
  if (kind.typesOf(to) === undefined) return undefined;
  return yield { object, apiVersion: to };
}
