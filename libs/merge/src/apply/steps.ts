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
