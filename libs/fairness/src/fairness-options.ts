import type { OptionValues } from '@orch/runtime';
import type { Features } from '@orch/schema';
import type { FairnessLimits } from './fairness.js';

/** Options of the seats of a process, and of how long requests wait for one. */
export const fairnessOptions = {
  'max-requests-inflight': {
    type: 'int',
    default: 400,
    min: 0,
    help: 'Number of seats of this process, together with --max-mutating-requests-inflight: requests that are executed concurrently, as flow schemas and priority levels decide. Without the feature gate APIPriorityAndFairness: maximum number of concurrent read-only requests; further ones get 429, and 0 means no limit.',
  },
  'max-mutating-requests-inflight': {
    type: 'int',
    default: 200,
    min: 0,
    help: 'Number of seats of this process, added to --max-requests-inflight. Without the feature gate APIPriorityAndFairness: maximum number of concurrent mutating requests; further ones get 429, and 0 means no limit.',
  },
  'max-request-wait': {
    type: 'duration',
    default: 15_000,
    min: 0,
    help: 'How long a request waits to be executed before it gets 429.',
  },
  'request-slice': {
    type: 'duration',
    default: 0.5,
    min: 0,
    help: 'Length of a turn of the event loop while requests wait to begin. As many requests begin in a turn as fit into it, at least one, taking turns by flow; turns are eight times as long while nobody else has sent a request for a second. 0 starts requests as they arrive.',
  },
} as const;

/** How many requests are carried out at a time. @throws Error where that would be none */
export function fairnessLimits(serving: OptionValues<typeof fairnessOptions>, features: Features): FairnessLimits {
  const seats = { mutating: serving.maxMutatingRequestsInflight, readOnly: serving.maxRequestsInflight };
  if (features.enabled('APIPriorityAndFairness') && seats.mutating + seats.readOnly === 0)
    throw new Error('--max-requests-inflight and --max-mutating-requests-inflight leave no seat for any request');
  return { seats, maxWaitMs: serving.maxRequestWait, sliceMs: serving.requestSlice };
}
