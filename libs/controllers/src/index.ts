export {
  type Controller,
  type ControllerGroup,
  type ControllerSource,
  type ReconcileRun,
  RequeueError,
} from './controller.js';
export { ControllerManager, type ControllerManagerOptions } from './controller-manager.js';
export { followedSource, type KnownByName, type ListedObjects, objectSource } from './object-source.js';
export { type ObservedQueue, type WorkQueueMetrics, workQueueMetrics } from './work-queue-metrics.js';
