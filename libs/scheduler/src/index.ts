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
export type { ClusterObjects, ClusterView } from './framework/cluster-view.js';
