import { atOnce, type Steps } from '@orch/schema';

export { atOnce, type Steps };

/** Yielded between two steps of work: work on large objects takes long, and other work may run in between. */
export const STEP = undefined;

/**
 * Work on nested values in which the work on a child is yielded instead of called: however deep the values are, the
 * process's stack is not. Run by {@link walked}.
 */
export type Walk<T> = Generator<typeof STEP | Walk<unknown>, T, unknown>;

/** Yields the work on a child, and returns its result. */
export function* descend<T>(below: Walk<T>): Walk<T> {
  return (yield below) as T;
}

/** Runs a walk in steps. An exception in any part ends the whole. */
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
