import { unionOfInSteps } from '../paths/algebra-in-steps.js';
import { type FieldSet, NO_FIELDS } from '../paths/field-set.js';
import { compareText } from '../paths/order.js';
import type { Steps } from '../steps.js';
import { identifier, type ManagerIdentifier, Owner } from './owner.js';

/** Number of entries of updates that an object keeps apart. */
const MAX_UPDATERS = 10;

/** Manager of fields set by the oldest updaters when there are too many of them. */
const ANCIENT_CHANGES = 'ancient-changes';

/**
 * Merges entries of updates until at most {@link MAX_UPDATERS} are left, as far as versions allow: the oldest of each
 * version are joined into one. Entries of appliers are never joined, as they would lose track of the fields that they
 * may remove.
 */
export function* capped(owners: Map<string, Owner>): Steps<Map<string, Owner>> {
  const updaters = [...owners].filter(([, { identity }]) => identity.operation === 'Update');
  let excess = updaters.length - MAX_UPDATERS;
  if (excess <= 0) return owners;
  updaters.sort(([a, x], [b, y]) => x.seconds - y.seconds || compareText(a, b));
  const left = new Map(owners);
  /** Entry that the joined ones of a version go to: its oldest, until there is a second one. */
  const buckets = new Map<string, string>();
  const joined = new Map<string, Joined>();
  for (const [id, owner] of updaters) {
    if (excess <= 0) break;
    const { apiVersion } = owner.identity;
    const first = buckets.get(apiVersion);
    if (first === undefined) buckets.set(apiVersion, id);
    else {
      buckets.set(apiVersion, join(left, joined, first, id, owner));
      excess--;
    }
  }
  for (const [bucket, { identity, time, sets }] of joined) {
    left.set(bucket, Owner.of(identity, time, yield* unionOfInSteps(sets)));
  }
  return left;
}

/** Parts of the entry for the old ones of a version. Joined at the end: there may be thousands. */
interface Joined {
  readonly identity: ManagerIdentifier;
  time: string | undefined;
  readonly sets: FieldSet[];
}

/** Merges an entry with an older one of its version, in the entry for those; returns its identifier. */
function join(
  owners: Map<string, Owner>,
  joined: Map<string, Joined>,
  older: string,
  id: string,
  owner: Owner,
): string {
  const { apiVersion } = owner.identity;
  const identity: ManagerIdentifier = { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion, subresource: '' };
  const bucket = identifier(identity);
  const from = owners.has(bucket) ? bucket : older;
  const known = joined.get(bucket) ?? { identity, time: owner.time, sets: [] };
  if (known.sets.length === 0) known.sets.push(owners.get(from)?.fields ?? NO_FIELDS);
  known.sets.push(owner.fields);
  known.time = owner.time;
  joined.set(bucket, known);
  owners.delete(from);
  owners.delete(id);
  owners.set(bucket, owner);
  return bucket;
}
