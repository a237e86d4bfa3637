/** Time as this package sees it, so that tests own it. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs the task once, `ms` later, unless the returned function is called before. Keeps no process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task in the next turn of the event loop. */
  soon(task: () => void): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (task) => {
    setImmediate(task);
  },
};
