export { Backoff, type BackoffSettings } from './backoff.js';
export { FairLine } from './fair-line.js';
export { type AtATime, inParallel, onePage } from './in-parallel.js';
export { latched } from './latched.js';
export {
  LEADERSHIP_MS,
  Leadership,
  type LeadershipLease,
  type LeadershipTimes,
  RENEWAL_MS,
} from './leadership.js';
export { Throttle } from './pace.js';
export { type Bounds, SharedBound } from './shared-bound.js';
export { TokenBucket } from './token-bucket.js';
export { inSlices, LongSteps, Slices, turnFor } from './turns.js';
export { TurnsByKey } from './turns-by-key.js';
export { WorkOnDemand } from './work-on-demand.js';
export { WorkQueue, type WorkQueueObserver, type WorkQueueOptions } from './work-queue.js';
