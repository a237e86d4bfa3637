/** Steps between which others may have their turn; at the end, what was found or made. */
export type Steps<T> = Generator<undefined, T>;

/** For walks over what there is nothing in: no step at all. */
export const NO_STEPS: Iterable<undefined> = [];

/** Takes all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let next = steps.next(); ; next = steps.next()) if (next.done) return next.value;
}
