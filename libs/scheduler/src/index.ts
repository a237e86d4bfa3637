export type { ExtenderConfiguration, SchedulerConfiguration } from './configuration/configuration.js';
export { makeProfile } from './configuration/make-profile.js';
export {
  defaultConfiguration,
  type ReadConfiguration,
  readSchedulerConfiguration,
} from './configuration/read-configuration.js';
export { writtenConfiguration } from './configuration/written-configuration.js';
export type { SchedulerObserver } from './cycle/observer.js';
export { Scheduler } from './cycle/scheduler.js';
export type { PodRef, SchedulerApi, SchedulerInformers } from './cycle/scheduler-api.js';
export { type EventSink, SeriesRecorder } from './events/series-recorder.js';
export type { ExtenderAnswer, ExtenderCall } from './extenders/extender-call.js';
export { Extenders } from './extenders/extenders.js';
export { podResourceMetrics } from './metrics/pod-resource-metrics.js';
export { schedulerReleaseMetrics } from './metrics/release-metrics.js';
export { schedulerMetrics } from './metrics/scheduler-metrics.js';
export { volumeMetrics } from './metrics/volume-metrics.js';
