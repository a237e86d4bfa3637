export {
  type Controller,
  type ControllerGroup,
  type ControllerSource,
  type ReconcileRun,
  RequeueError,
} from './controller.js';
export { ControllerManager, type ControllerManagerOptions, type Yielding } from './controller-manager.js';
export { informerSource } from './informer-source.js';
export { LeadershipLoop } from './leadership-loop.js';
export { type LeaseClient, LeaseLock, type LeaseObject } from './lease-lock.js';
export { ObservedLease } from './observed-lease.js';
export { type ObservedQueue, type WorkQueueMetrics, workQueueMetrics } from './work-queue-metrics.js';
