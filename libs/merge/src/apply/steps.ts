/** Between two steps of work: of large objects each takes long, and others may come first. */
export const STEP = undefined;

/** Work that is done a step at a time. */
export type Steps<T> = Generator<typeof STEP, T, unknown>;

/** Takes all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Work on nested values in which the work on a child is yielded instead of called: however deep the values are, the
 * process's stack is not. Run by {@link walked}.
 */
export type Walk<T> = Generator<typeof STEP | Walk<unknown>, T, unknown>;

/** Hands over the work on what is below, and comes to its result. */
export function* descend<T>(below: Walk<T>): Walk<T> {
  return (yield below) as T;
}

/** The steps of a walk. What any part of it throws ends the whole. */
export function* walked<T>(walk: Walk<T>): Steps<T> {
  const above: Walk<unknown>[] = [];
  let at: Walk<unknown> = walk;
  let found: unknown;
  for (;;) {
    const { done, value } = at.next(found);
    found = undefined;
    if (!done && value !== STEP) {
      above.push(at);
      at = value as Walk<unknown>;
    } else if (!done) yield STEP;
    else {
      const next = above.pop();
      if (next === undefined) return value as T;
      at = next;
      found = value;
    }
  }
}
