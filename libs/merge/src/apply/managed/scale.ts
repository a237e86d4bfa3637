import type { JsonObject, JsonValue } from '@orch/machinery';
import { difference, type FieldSet, pathsOf } from '../paths/field-set.js';
import { readStored, writeOwners } from './entries.js';
import { type Identity, identifier, Owner } from './owner.js';

/** Version of a Scale. */
const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS_IN_SCALE = pathsOf([['spec', 'replicas']]);

/**
 * Where versions of the scaled kind have their replicas: names of fields; null for a version that cannot be scaled,
 * undefined for one that is not known (any more).
 */
export type ReplicasPath = (apiVersion: string) => readonly string[] | null | undefined;

/**
 * The entries of an object as those of its Scale: who owns the replicas of the object owns those of the Scale.
 * @param entries `managedFields` of the scaled object
 * @throws ManagedFieldsError, FieldsV1Error for entries that cannot be read
 */
export function scaleEntries(entries: JsonValue | undefined, pathOf: ReplicasPath): JsonObject[] | undefined {
  const owners = new Map<string, Owner>();
  for (const owner of readStored(entries).values()) {
    const { identity, time } = owner;
    if (!owns(owner.fields, pathOf(identity.apiVersion))) continue;
    const inScale = { ...identity, apiVersion: SCALE_VERSION };
    owners.set(identifier(inScale), Owner.of(inScale, time, REPLICAS_IN_SCALE));
  }
  return writeOwners(owners);
}

/**
 * The entries of an object whose Scale was written: whose replicas were taken there loses them here, and who took them has
 * an entry for it. Entries of versions that are not known are dropped.
 * @param entries `managedFields` of the scaled object before
 * @param scale entries of the Scale after, which began as {@link scaleEntries}
 * @param apiVersion version that the replicas are owned in now
 * @throws ManagedFieldsError, FieldsV1Error for entries that cannot be read
 */
export function entriesAfterScale(
  entries: JsonValue | undefined,
  scale: JsonValue | undefined,
  apiVersion: string,
  pathOf: ReplicasPath,
): JsonObject[] | undefined {
  const left = new Map([...readStored(scale)].filter(([, { fields }]) => owns(fields, ['spec', 'replicas'])));
  const owners = new Map<string, Owner>();
  for (const [id, owner] of readStored(entries)) {
    const path = pathOf(owner.identity.apiVersion);
    if (path === undefined) continue;
    // An entry of the Scale for it means that the replicas are still its own.
    if (!owns(owner.fields, path) || left.delete(identifier({ ...owner.identity, apiVersion: SCALE_VERSION }))) {
      owners.set(id, owner);
      continue;
    }
    const without = owner.with(difference(owner.fields, pathsOf([path ?? []])));
    if (!without.fields.isEmpty) owners.set(id, without);
  }
  const replicas = pathsOf([pathOf(apiVersion) ?? []]);
  for (const { identity, time } of left.values()) enter(owners, { ...identity, apiVersion }, time, replicas);
  return writeOwners(owners);
}

function enter(owners: Map<string, Owner>, identity: Identity, time: string | undefined, fields: FieldSet): void {
  if (!fields.isEmpty) owners.set(identifier(identity), Owner.of(identity, time, fields));
}

function owns(fields: FieldSet, path: readonly string[] | null | undefined): boolean {
  if (!path || path.length === 0) return false;
  const [only] = [...pathsOf([path]).paths()];
  return only !== undefined && fields.has(only);
}
