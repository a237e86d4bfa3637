export { BOOTSTRAP_LEVELS, type BootstrapFlowObject, bootstrapSchemas } from './bootstrap.js';
export type { FlowRequest, FlowSchema, FlowUser, PriorityLevel } from './configuration.js';
export type { FairQueue } from './fair-queue.js';
export { type LevelObserver, QueuedRequest, type RejectReason } from './fair-queues.js';
export {
  type Classified,
  FlowController,
  type FlowControllerOptions,
  type FlowObserver,
  type LevelAdjustment,
  type LevelLimits,
  type PriorityLevelState,
} from './flow-controller.js';
export {
  type FlowSchemaSpec,
  flowSchemaOf,
  type PriorityLevelSpec,
  priorityLevelOf,
  readFlowSchema,
  readPriorityLevel,
} from './objects.js';
export { AT_ONCE, LoopPace, type PausedRequests, type StartLimiter } from './pace.js';
export { type ListWork, listEstimate, ONE_SEAT, seatsOf, type WorkEstimate, writeEstimate } from './work-estimate.js';
