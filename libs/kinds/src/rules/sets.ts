import { duplicate, type FieldError } from '@orch/machinery';
import { each, type ItemCheck } from './lists.js';

/** Refuses what has more than `limit` items or bytes, in the wording of the newer kinds. */
export const tooLongList = (field: string, length: number, limit: number): FieldError[] =>
  length > limit ? [{ field, reason: 'FieldValueTooLong', message: `Too long: may not be longer than ${limit}` }] : [];

/** A list of texts that each stand in it once; those that stand there again are not looked at. */
export function validateSet(
  items: readonly string[],
  path: string,
  limit: number,
  check: ItemCheck<string>,
): FieldError[] {
  const seen = new Set<string>();
  const errors = each(items, path, (item, field) => {
    if (seen.has(item)) return [duplicate(field, item)];
    seen.add(item);
    return check(item, field);
  });
  return [...errors, ...tooLongList(path, items.length, limit)];
}
