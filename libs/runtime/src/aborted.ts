/**
 * Resolves once a signal has aborted, such as a deadline that work is raced against. Never resolves without a signal.
 * @param finished aborts when the promise is not awaited any more
 */
export const aborted = (signal: AbortSignal | undefined, finished?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true, ...(finished && { signal: finished }) });
  });
