import type { OptionValues } from '@orch/runtime';
import type { Features } from '@orch/schema';
import type { FairnessLimits } from './fairness.js';

/** Options of the seats of a process, and of how long requests wait for one. */
export const fairnessOptions = {
  'max-requests-inflight': {
    type: 'int',
    default: 400,
    min: 0,
    help: 'Seats of this process, together with --max-mutating-requests-inflight: requests that are carried out at a time, by flow schemas and priority levels. Without the feature gate APIPriorityAndFairness, requests that only read; more are answered with 429, and 0 is no bound.',
  },
  'max-mutating-requests-inflight': {
    type: 'int',
    default: 200,
    min: 0,
    help: 'Seats of this process, together with --max-requests-inflight. Without the feature gate APIPriorityAndFairness, requests that change something; more are answered with 429, and 0 is no bound.',
  },
  'max-request-wait': {
    type: 'duration',
    default: 15_000,
    min: 0,
    help: 'How long a request waits to be carried out before it is answered with 429.',
  },
  'request-slice': {
    type: 'duration',
    default: 0.5,
    min: 0,
    help: 'How long a round of the event loop is to take while requests wait to begin: as many begin in each as make it so long, one at least, by turns of their flows; eight times as long where nobody else has asked for anything for a second. 0 has requests begin as they come.',
  },
} as const;

/** How many requests are carried out at a time. @throws Error where that would be none */
export function fairnessLimits(serving: OptionValues<typeof fairnessOptions>, features: Features): FairnessLimits {
  const seats = { mutating: serving.maxMutatingRequestsInflight, readOnly: serving.maxRequestsInflight };
  if (features.enabled('APIPriorityAndFairness') && seats.mutating + seats.readOnly === 0)
    throw new Error('--max-requests-inflight and --max-mutating-requests-inflight leave no seat for any request');
  return { seats, maxWaitMs: serving.maxRequestWait, sliceMs: serving.requestSlice };
}
