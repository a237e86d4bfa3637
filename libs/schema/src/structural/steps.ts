/** Steps between which other work may run; returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** For walks over empty values: no step at all. */
export const NO_STEPS: Iterable<undefined> = [];

/** Runs all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let next = steps.next(); ; next = steps.next()) if (next.done) return next.value;
}
