import type { Change, TypeId } from '@orch/storage';

/** Splits a commit's changes by type, in the order given. */
export function groupByType(changes: readonly Change[]): Iterable<readonly [TypeId, readonly Change[]]> {
  const first = changes[0];
  if (first === undefined) return [];
  if (changes.every((change) => change.type === first.type)) return [[first.type, changes]];
  const byType = new Map<TypeId, Change[]>();
  for (const change of changes) {
    const ofType = byType.get(change.type);
    if (ofType === undefined) byType.set(change.type, [change]);
    else ofType.push(change);
  }
  return byType;
}
