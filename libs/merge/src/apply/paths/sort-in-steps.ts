import { PIECE } from '../piece.js';
import { STEP, type Steps } from '../steps.js';

/** Items that are sorted in one go, and merged between two steps. */
const AT_ONCE = 4 * PIECE;

/**
 * Sorts in steps; equal items keep their order if `sort` is stable.
 * @param sort sorts a few by `compare`, in place
 */
export function* sortInSteps<T>(
  all: readonly T[],
  sort: (some: T[]) => T[],
  compare: (a: T, b: T) => number,
): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    if (from > 0) yield STEP;
    runs.push(sort(all.slice(from, from + AT_ONCE)));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i] as T[], runs[i + 1]];
      longer.push(b ? yield* joined(a, b, compare) : a);
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* joined<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const all: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isFirst = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    all.push((isFirst ? a[i++] : b[j++]) as T);
    if (all.length % AT_ONCE === 0) yield STEP;
  }
  return all;
}
