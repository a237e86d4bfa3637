import { type JsonValue, memberOf } from '@orch/machinery';
import { MalformedPatchError, UnprocessablePatchError } from '../errors.js';
import { isObject } from '../json-values.js';

const bigintAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

/** A text that is equal for equal values of a merge key or of a scalar list. */
export const identityText = (identity: JsonValue): string =>
  // Nothing else begins with a quotation mark.
  typeof identity === 'string' ? `"${identity}` : JSON.stringify(identity, bigintAsText);

/** What an item is told from the others by; undefined for an object that lacks the merge key. */
export function possibleIdentity(item: JsonValue, mergeKey: string): string | undefined {
  if (mergeKey === '') return identityText(item);
  const identity = isObject(item) ? memberOf(item, mergeKey) : undefined;
  return identity === undefined ? undefined : identityText(identity);
}

/** As a text: the merge key's value or, without a merge key, the item itself. @throws UnprocessablePatchError */
export function identityOf(item: JsonValue, mergeKey: string): string {
  const identity = possibleIdentity(item, mergeKey);
  if (identity !== undefined) return identity;
  const text = `${JSON.stringify(item, bigintAsText)} does not contain declared merge key: ${mergeKey}`;
  throw new UnprocessablePatchError('missing-merge-key', text);
}

/** The first place of each identity in a list. */
export function placesIn(list: readonly JsonValue[], mergeKey: string): Map<string, number> {
  const places = new Map<string, number>();
  list.forEach((item, place) => {
    const identity = possibleIdentity(item, mergeKey);
    if (identity !== undefined && !places.has(identity)) places.set(identity, place);
  });
  return places;
}

/**
 * Puts a merged list in order: items that the patch speaks of in the patch's order, the others in the server's, and
 * the two interleaved as the server's order has them.
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

const isDeletion = (item: JsonValue): boolean => isObject(item) && item.$patch === 'delete';

/**
 * The server's order of a list that a patch with a `$setElementOrder` changes: deleted items are gone, and as many
 * items as were deleted, of those that the patch adds, stand at its end. (Clients count on where that puts the others.)
 */
export function serverOrderAfter(
  server: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
): readonly JsonValue[] {
  const deleted = new Set(patch.filter(isDeletion).map((item) => identityOf(item, mergeKey)));
  if (deleted.size === 0) return server;
  const kept = server.filter((item) => !deleted.has(possibleIdentity(item, mergeKey) ?? ''));
  const places = placesIn(kept, mergeKey);
  const added = patch.filter((item) => !isDeletion(item) && !places.has(identityOf(item, mergeKey)));
  return [...kept, ...added].slice(0, server.length);
}

/** What a patch adds or changes must stand in the same order in its `$setElementOrder`. @throws PatchError */
export function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  const remaining = order.values();
  for (const item of patch) {
    if (isDeletion(item)) continue;
    const identity = identityOf(item, mergeKey);
    let place = remaining.next();
    while (!place.done && identityOf(place.value, mergeKey) !== identity) place = remaining.next();
    if (place.done) {
      throw new MalformedPatchError('order-mismatch', "The order in patch list doesn't match $setElementOrder list");
    }
  }
}
