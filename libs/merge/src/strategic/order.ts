import type { JsonValue } from '@orch/machinery';
import { MalformedPatchError, UnprocessablePatchError } from '../errors.js';
import { equalJson, isObject } from '../json-values.js';

/** What an item of a list is told from the others by: its merge key's value, or, without a merge key, itself. */
export function identityOf(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item;
  const identity = isObject(item) ? item[mergeKey] : undefined;
  if (identity !== undefined) return identity;
  throw new UnprocessablePatchError(
    'missing-merge-key',
    `${JSON.stringify(item, bigintAsText)} does not contain declared merge key: ${mergeKey}`,
  );
}

const bigintAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** Place of an item in a list, by identity; -1 when it is not there. */
export function placeOf(item: JsonValue, list: readonly JsonValue[], mergeKey: string): number {
  const identity = identityOf(item, mergeKey);
  return list.findIndex((other) => {
    const otherIdentity = mergeKey === '' ? other : isObject(other) ? other[mergeKey] : undefined;
    return equalJson(otherIdentity, identity);
  });
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
  const placed = merged.map((item) => ({
    item,
    patch: placeOf(item, patchOrder, mergeKey),
    server: placeOf(item, serverOrder, mergeKey),
  }));
  const patched = placed.filter(({ patch }) => patch >= 0).sort((a, b) => a.patch - b.patch);
  const others = placed.filter(({ patch }) => patch < 0).sort((a, b) => a.server - b.server);
  const ordered: JsonValue[] = [];
  for (const { item, server } of patched) {
    for (let next = others[0]; next && next.server >= 0 && next.server < server; next = others[0]) {
      ordered.push(next.item);
      others.shift();
    }
    ordered.push(item);
  }
  return [...ordered, ...others.map(({ item }) => item)];
}

const isDeletion = (item: JsonValue): boolean => isObject(item) && item['$patch'] === 'delete';

/** What a patch adds or changes must stand in the same order in its `$setElementOrder`. @throws MalformedPatchError */
export function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  let from = 0;
  for (const item of patch) {
    if (isDeletion(item)) continue;
    const place = placeOf(item, order.slice(from), mergeKey);
    if (place < 0) {
      throw new MalformedPatchError('order-mismatch', "The order in patch list doesn't match $setElementOrder list");
    }
    from += place + 1;
  }
}
