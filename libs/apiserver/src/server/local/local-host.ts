import { systemClock } from '@orch/runtime';
import type { LocalHost } from '@orch/writing';
import { type Host, stateOf } from '../components/process.js';

/** Returns what all requests within the process have in common: those of controllers, and of what runs beside the API. */
export function localHostOf(
  process: Host<'api' | 'store' | 'changes' | 'access' | 'audit' | 'fairness'>,
): Omit<LocalHost, 'term'> {
  const { deps, store } = stateOf(process);
  const { names, pipeline, remover } = deps;
  return {
    ...{ names, pipeline, remover, store },
    authorizer: process.need('access').authorizer,
    audit: process.need('audit').actions,
    seats: process.need('fairness').seats,
    clock: systemClock,
  };
}
