import { duplicate, type FieldError, tooMany } from '@orch/machinery';

/** A check of one item of a list, given its path. */
export type ItemCheck<T> = (item: T, path: string) => FieldError[];

/** Checks each item, with its place in the list as path. */
export const each = <T>(items: readonly T[], path: string, check: ItemCheck<T>): FieldError[] =>
  items.flatMap((item, index) => check(item, `${path}[${index}]`));

/**
 * Refuses items whose key stood in the list before. `member` is the part of the item that the error names (`.name`), or
 * '' for the item as a whole.
 */
export function refuseRepeated(keys: readonly string[], path: string, member = ''): FieldError[] {
  const seen = new Set<string>();
  return keys.flatMap((key, index) => {
    if (seen.has(key)) return [duplicate(`${path}[${index}]${member}`, key)];
    seen.add(key);
    return [];
  });
}

/** Refuses a list or a map with more items than `limit`. */
export const atMost = (field: string, count: number, limit: number): FieldError[] =>
  count > limit ? [tooMany(field, count, limit)] : [];
