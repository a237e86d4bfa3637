import { StatusError } from '@orch/machinery';
import { type Clock, sleep } from '@orch/runtime';

/** How long {@link patiently} goes on. */
interface Patience {
  /** How often an attempt is repeated, at most. Default: as in client-go (rest/request.go). */
  readonly maxRetries?: number;
  /** Whether nobody wants the result any more: nothing is attempted again then. */
  readonly isOver: () => boolean;
  /** Aborts when that may have come about, and ends a wait. */
  readonly ended?: AbortSignal;
  /** Clock of the waits. */
  readonly clock: Clock;
}

const MAX_RETRIES = 10;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * Makes an attempt, and makes it again where it is refused for a while (429 or 5xx, with a time), as an HTTP client of
 * the API does.
 * @throws what the last attempt throws
 */
export async function patiently<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const { maxRetries = MAX_RETRIES, isOver, ended, clock } = patience;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      const seconds = secondsUntilRetry(error);
      if (seconds === undefined || retries >= maxRetries || isOver()) throw error;
      await sleep(clock, seconds * 1_000, ended);
      if (isOver()) throw error;
    }
  }
}

function secondsUntilRetry(error: unknown): number | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const { code, status } = error;
  return code === TOO_MANY_REQUESTS || code >= SERVER_ERROR ? status.details?.retryAfterSeconds : undefined;
}
