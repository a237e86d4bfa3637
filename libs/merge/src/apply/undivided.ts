let undivided = false;

/** Whether what is done now is to be done in one step: then nobody asks how much it is, which takes a while for each walk. */
export const isUndivided = (): boolean => undivided;

/** Does something in one step. What waits for others in between is not done here. */
export function inOneStep<T>(work: () => T): T {
  const before = undivided;
  undivided = true;
  try {
    return work();
  } finally {
    undivided = before;
  }
}
