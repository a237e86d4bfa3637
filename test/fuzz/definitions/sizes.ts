import fc from 'fast-check';

/** Values of the largest object, each of which is counted with what it stands in. */
export const MOST_ITEMS = 15_000;
/** Members of the largest map. */
export const MOST_MEMBERS = 5_000;

/** How often something is repeated: mostly a few times, so that cases are cheap, and sometimes as often as a request has room for. */
export const times = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 3, arbitrary: fc.integer({ min: 100, max: 1_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 4_000 }) },
);

/** How many parts a list or a map has, of as many as it may have. */
export const countUpTo = (most: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 100, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 10, arbitrary: fc.integer({ min: 100, max: 1_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: Math.floor(most / 3), max: most }) },
  );
