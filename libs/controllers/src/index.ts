export { type Controller, type ControllerGroup, type ControllerSource, RequeueError, type Run } from './controller.js';
export { ControllerManager, type ControllerManagerOptions } from './controller-manager.js';
export { followedSource, type KnownByName, type KnownObjects, objectSource } from './object-source.js';
export { type ObservedQueue, type WorkQueueMetrics, workQueueMetrics } from './work-queue-metrics.js';
