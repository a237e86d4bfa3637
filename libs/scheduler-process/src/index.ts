export { clientCluster } from './client-cluster.js';
export {
  type FollowedResource,
  NAMESPACE,
  type SchedulerCluster,
  schedulerInformers,
} from './cluster.js';
export { type ConfigurationSource, configurationOf } from './configuration.js';
export { maxVolumesOf } from './max-volumes.js';
export type { SchedulingParts } from './parts.js';
export { type SchedulingComponent, schedulingComponent } from './scheduling.js';
