/** The only source of time for tested code; passed in, never imported as a global. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary start. For durations, deadlines and order. */
  now(): number;
  /** Wall time, milliseconds since the Unix epoch. For recorded times; may jump. */
  wall(): number;
  /** Runs the task once, `ms` later, unless the returned function is called before. Does not keep the process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task in the next turn of the event loop. */
  soon(task: () => void): void;
}

/** The longest time that a timer of the system can be set to, milliseconds; a longer one runs at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The system's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.max(0, ms));
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (task) => {
    setImmediate(task);
  },
};

/** Resolves after `ms`, or at once when `signal` aborts (a shortened wait is no error). */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done);
  });
}
