/** A timer that has been set and can be taken back; cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time for code that is tested; passed in, never imported as a global. */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. For what is written down; may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. For durations and deadlines. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`; the timer alone does not keep the process alive. */
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs`, or at once when `signal` aborts (a wait that is cut short is no error). */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(delayMs, done);
    signal?.addEventListener('abort', done);
  });
}
