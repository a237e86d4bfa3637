export type {
  EnabledPlugins,
  ExtenderConfiguration,
  ExtenderTls,
  SchedulerClientConnection,
  SchedulerConfiguration,
  SchedulerLeaderElection,
  SchedulerProfile,
} from './configuration/configuration.js';
export { EXTENSION_POINTS, type ExtensionPoint, type PluginRegistry } from './configuration/extension-points.js';
export type { PluginArgs } from './configuration/plugin-args.js';
export {
  type ConfigurationSettings,
  defaultConfiguration,
  type ReadConfiguration,
  readSchedulerConfiguration,
} from './configuration/read-configuration.js';
export { writtenConfiguration } from './configuration/written-configuration.js';
export type { AttemptResult, SchedulerObserver } from './cycle/observer.js';
export { Scheduler, type SchedulerOptions } from './cycle/scheduler.js';
export type { PodRef, SchedulerApi, SchedulerInformers, StatusPatch } from './cycle/scheduler-api.js';
export { type EventSink, SeriesRecorder, type SeriesRecorderSettings } from './events/series-recorder.js';
export type { ExtenderAnswer, ExtenderCall } from './extenders/extender-call.js';
export { Extenders, type ExtendersOptions } from './extenders/extenders.js';
export type { ClusterObjects, ClusterView } from './framework/cluster-view.js';
export { podResourceMetrics } from './metrics/pod-resource-metrics.js';
export { schedulerReleaseMetrics } from './metrics/release-metrics.js';
export { type ObservedScheduler, schedulerMetrics } from './metrics/scheduler-metrics.js';
export { volumeMetrics } from './metrics/volume-metrics.js';
export { makeProfile } from './plugins/make-profile.js';
export { pluginRegistry } from './plugins/registry.js';
export { VolumeContext } from './plugins/volumes/binding/volume-context.js';
export type { VolumeWriter } from './plugins/volumes/binding/volume-writer.js';
