/** Least and greatest cost or size; both saturate at 2^64-1. */
export interface EstimateRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** Greatest cost or size, at which both saturate. */
export const MAX = (1n << 64n) - 1n;

const capped = (value: bigint): bigint => (value > MAX ? MAX : value);

/** Returns the range between two bounds. */
export const range = (min: bigint, max: bigint): EstimateRange => ({ min, max });
/** Returns the range of a single value. */
export const exactly = (value: bigint): EstimateRange => ({ min: value, max: value });
/** Range of exactly 0. */
export const NOTHING = exactly(0n);
/** Range of exactly 1. */
export const ONE = exactly(1n);
/** Range of an unknown size. */
export const UNKNOWN = range(0n, MAX);

/** Adds two ranges. */
export const plus = (a: EstimateRange, b: EstimateRange): EstimateRange => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
});
/** Multiplies two ranges. */
export const times = (a: EstimateRange, b: EstimateRange): EstimateRange => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
});
/** Adds ranges. */
export const sum = (ranges: readonly EstimateRange[]): EstimateRange => ranges.reduce(plus, NOTHING);

/** Returns a range that covers both. */
export const union = (a: EstimateRange, b: EstimateRange): EstimateRange => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

/** Multiplies a size by a factor, rounding as the reference does: in doubles, up. */
export const scaled = (size: EstimateRange, factor: number): EstimateRange => ({
  min: scaledNumber(size.min, factor),
  max: scaledNumber(size.max, factor),
});

function scaledNumber(size: bigint, factor: number): bigint {
  const product = Math.ceil(Number(size) * factor);
  return product >= 2 ** 64 ? MAX : BigInt(product);
}
