import { type JsonValue, memberOf } from '@orch/machinery';
import { MalformedPatchError, UnprocessablePatchError } from '../errors.js';
import { isObject } from '../json-values.js';

const bigintAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

/** Identity of an item: the merge key's value or, without a merge key, the item itself. */
export type Identity = string | number | bigint | boolean | null;

/**
 * Scalars are their own identity. Any other value in their place is refused when the object is decoded, and represented
 * by its text until then.
 */
export const identityOfValue = (value: JsonValue): Identity =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, bigintAsText) : value;

/** Identity of an item; undefined for an object that lacks the merge key. */
function possibleIdentity(item: JsonValue, mergeKey: string): Identity | undefined {
  if (mergeKey === '') return identityOfValue(item);
  const identity = isObject(item) ? memberOf(item, mergeKey) : undefined;
  return identity === undefined ? undefined : identityOfValue(identity);
}

/** Same as {@link possibleIdentity}. @throws UnprocessablePatchError for an object that lacks the merge key */
export function identityOf(item: JsonValue, mergeKey: string): Identity {
  const identity = possibleIdentity(item, mergeKey);
  if (identity !== undefined) return identity;
  const text = `${JSON.stringify(item, bigintAsText)} does not contain declared merge key: ${mergeKey}`;
  throw new UnprocessablePatchError('missing-merge-key', text);
}

/** Returns the first index of each identity in a list. */
export function placesIn(list: readonly JsonValue[], mergeKey: string): Map<Identity, number> {
  const places = new Map<Identity, number>();
  list.forEach((item, place) => {
    const identity = possibleIdentity(item, mergeKey);
    if (identity !== undefined && !places.has(identity)) places.set(identity, place);
  });
  return places;
}

/**
 * Orders a merged list: items of the patch in the patch's order, the others in the server's, and the two interleaved as
 * in the server's order.
 */
export function inOrder(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const [patchPlaces, serverPlaces] = [placesIn(patchOrder, mergeKey), placesIn(serverOrder, mergeKey)];
  const placed = merged.map((item) => {
    const identity = identityOf(item, mergeKey);
    return { item, patch: patchPlaces.get(identity) ?? -1, server: serverPlaces.get(identity) ?? -1 };
  });
  const patched = placed.filter(({ patch }) => patch >= 0).sort((a, b) => a.patch - b.patch);
  const others = placed.filter(({ patch }) => patch < 0).sort((a, b) => a.server - b.server);
  const ordered: JsonValue[] = [];
  let taken = 0;
  for (const { item, server } of patched) {
    for (let next = others[taken]; next && next.server >= 0 && next.server < server; next = others[taken]) {
      ordered.push(next.item);
      taken++;
    }
    ordered.push(item);
  }
  return [...ordered, ...others.slice(taken).map(({ item }) => item)];
}

/** Whether an item has one of some identities. */
export function isAmong(identities: ReadonlySet<Identity>, item: JsonValue, mergeKey: string): boolean {
  const identity = possibleIdentity(item, mergeKey);
  return identity !== undefined && identities.has(identity);
}

const isDirective = (item: JsonValue): boolean => isObject(item) && item.$patch !== undefined;
const isDeletion = (item: JsonValue): boolean => isObject(item) && item.$patch === 'delete';

/**
 * Order of the server's list for a patch with a `$setElementOrder`: deleted items are removed, and as many of the items
 * that the patch adds as were deleted are placed at its end. (Clients rely on where that puts the others.)
 */
export function serverOrderAfter(
  server: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  const deleted = new Set(patch.filter(isDeletion).map((item) => identityOf(item, mergeKey)));
  if (deleted.size === 0) return server;
  const kept = server.filter((item) => !isAmong(deleted, item, mergeKey));
  const places = placesIn(kept, mergeKey);
  const added = patch.filter((item) => !isDirective(item) && !places.has(identityOf(item, mergeKey)));
  return [...kept, ...added].slice(0, server.length);
}

/**
 * Checks that the items of a patch are in the order of its `$setElementOrder`, unless that is empty. @throws PatchError
 */
export function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (order.length === 0) return;
  const remaining = order.values();
  for (const item of patch) {
    if (isDirective(item)) continue;
    const identity = identityOf(item, mergeKey);
    let place = remaining.next();
    while (!place.done && identityOf(place.value, mergeKey) !== identity) place = remaining.next();
    if (place.done) {
      throw new MalformedPatchError('order-mismatch', "The order in patch list doesn't match $setElementOrder list");
    }
  }
}
