import { systemClock } from '@orch/runtime';
import { isVerb, type RequestMetrics } from '@orch/serving';
import type { LocalHost } from '@orch/writing';
import { type Host, stateOf } from '../components/process.js';

/** Returns what all requests within the process have in common: those of controllers, and of what runs beside the API. */
export function localHostOf(
  process: Host<'api' | 'store' | 'changes' | 'access' | 'audit' | 'fairness' | 'requestMetrics'>,
): Omit<LocalHost, 'term'> {
  const { deps, store } = stateOf(process);
  const { names, pipeline, remover } = deps;
  return {
    ...{ names, pipeline, remover, store },
    authorizer: process.need('access').authorizer,
    audit: process.need('audit').actions,
    seats: process.need('fairness').seats,
    clock: systemClock,
    observer: observerOf(process.need('requestMetrics')),
  };
}

/** Counts requests within the process among those over HTTP. */
export const observerOf = (metrics: RequestMetrics): LocalHost['observer'] => ({
  ended(verb, { endpoint, key, subresource = '' }, code, ms) {
    if (isVerb(verb)) metrics.endedWithin({ verb, endpoint, subresource, ...key }, code, ms / 1_000);
  },
});
