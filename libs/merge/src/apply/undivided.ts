let undivided = false;

/** Whether current work runs in one step: then values are not counted, which would take a while for each walk. */
export const isUndivided = (): boolean => undivided;

/** Runs work in one step, without pauses for others. */
export function inOneStep<T>(work: () => T): T {
  const before = undivided;
  undivided = true;
  try {
    return work();
  } finally {
    undivided = before;
  }
}
