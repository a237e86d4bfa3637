/** A level's demand for the shared seats. */
interface Wanted {
  /** Seats that it gets in any case. */
  readonly least: number;
  /** Maximum number of seats; not below `least`. */
  readonly most: number;
  /** Seats that it can use; not below `least`. */
  readonly target: number;
}

/** A zero target takes part all the same. */
const LEAST_TARGET = 0.001;
/** Enough for the precision of a double. */
const MAX_HALVINGS = 100;

/**
 * Divides seats so that each level gets the same share of its target, as far as bounds allow. If these do not add up
 * each gets its bound.
 * @returns seats of each, not whole numbers, in order; together `seats` if that is possible
 */
export function fairAllocation(seats: number, wanted: readonly Wanted[]): number[] {
  const at = (share: number) =>
    wanted.map(({ least, most, target }) => Math.max(least, Math.min(most, share * Math.max(target, LEAST_TARGET))));
  const sum = (share: number) => at(share).reduce((total, one) => total + one, 0);
  let [low, high] = [0, 1];
  const top = Math.max(0, ...wanted.map(({ most, target }) => most / Math.max(target, LEAST_TARGET)));
  while (high < top && sum(high) < seats) high *= 2;
  for (let halving = 0; halving < MAX_HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (sum(middle) < seats) low = middle;
    else high = middle;
  }
  return at(high);
}
