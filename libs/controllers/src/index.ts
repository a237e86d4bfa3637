export type { Controller, ControllerSource, Run } from './controller.js';
export { ControllerRunner, type ControllerRunnerOptions } from './controller-runner.js';
export { type KnownByName, objectSource } from './object-source.js';
export { type ObservedQueue, type WorkQueueMetrics, workQueueMetrics } from './work-queue-metrics.js';
