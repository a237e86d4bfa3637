export { type ConfigurationSource, configurationOf } from './configuration.js';
export type { SchedulingParts } from './parts.js';
export { type SchedulingComponent, schedulingComponent } from './scheduling.js';
