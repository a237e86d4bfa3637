/** Between two steps of work: of large objects each takes long, and others may come first. */
export const STEP = undefined;

/** Work that is done a step at a time. */
export type Steps<T> = Generator<typeof STEP, T, unknown>;
