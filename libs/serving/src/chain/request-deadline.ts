import { badRequest, DurationError, parseDuration } from '@orch/machinery';

const NANOS_A_MILLISECOND = 1_000_000;

/**
 * Milliseconds that a request may take: the client's `?timeout=30s`, up to `maximum`; zero and less count as none.
 * @throws StatusError 400 for what is no duration
 */
export function requestDeadline(query: URLSearchParams, maximum: number): number {
  const text = query.size > 0 ? query.get('timeout') : null;
  if (text === null || text === '') return maximum;
  const asked = Number(durationOf(text)) / NANOS_A_MILLISECOND;
  return asked > 0 ? Math.min(asked, maximum) : maximum;
}

function durationOf(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
