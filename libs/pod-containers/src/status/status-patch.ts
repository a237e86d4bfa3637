import { isDeepStrictEqual } from 'node:util';
import type { PodStatus } from '@orch/schema/types/core/v1';

type Members = Record<string, unknown>;

/** Lists whose items a strategic patch merges, by the member that identifies an item. */
const KEYS: Readonly<Record<string, string>> = { conditions: 'type', podIPs: 'ip' };

/** Returns a strategic merge patch that makes one status of another; undefined if they are the same. */
export function statusPatch(before: PodStatus, after: PodStatus): Members | undefined {
  const [from, to] = [withoutNulls(before) as Members, after as Members];
  const patch: Members = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (isDeepStrictEqual(from[name], to[name])) continue;
    const key = KEYS[name];
    if (to[name] === undefined) patch[name] = null;
    else if (key !== undefined && from[name] !== undefined)
      Object.assign(patch, listPatch(name, key, from[name] as Members[], to[name] as Members[]));
    else patch[name] = to[name];
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function listPatch(name: string, key: string, before: readonly Members[], after: readonly Members[]): Members {
  const known = new Map(before.map((item) => [item[key], item]));
  const changed = after.filter((item) => !isDeepStrictEqual(known.get(item[key]), item));
  const wanted = new Set(after.map((item) => item[key]));
  const gone = before.filter((item) => !wanted.has(item[key]));
  return {
    [`$setElementOrder/${name}`]: after.map((item) => ({ [key]: item[key] })),
    [name]: [
      ...changed.map((item) => withNulls(known.get(item[key]) ?? {}, item)),
      ...gone.map((item) => ({ $patch: 'delete', [key]: item[key] })),
    ],
  };
}

/** Leaves out members that are null: the API shows some that nobody has set so. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

/** Members that an item does not have any more are removed by null. */
function withNulls(before: Members, after: Members): Members {
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  return { ...after, ...Object.fromEntries(removed.map((name) => [name, null])) };
}
