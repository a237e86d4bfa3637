/**
 * Returns the result of `work`, unless one of `signals` aborts first: then its reason is thrown, and the work goes on
 * for others.
 */
export function orAborted<T>(work: Promise<T>, ...signals: (AbortSignal | undefined)[]): Promise<T> {
  const watched = signals.filter((signal) => signal !== undefined);
  if (watched.length === 0) return work;
  return new Promise((resolve, reject) => {
    const ends = watched.map((signal) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      return () => signal.removeEventListener('abort', abort);
    });
    work.then(resolve, reject).finally(() => {
      for (const end of ends) end();
    });
  });
}
