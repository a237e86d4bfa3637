/** Waits `ms`, or until `signal` aborts; resolves either way. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Sleeps by a timer; resolves early, without an error, when the signal aborts. */
export const timerSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
