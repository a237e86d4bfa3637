/** Does work that SIGINT and SIGTERM break off; it cleans up after itself, and rejects with the reason then. */
export async function untilBrokenOff<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('broken off'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
