import type { SchedulingParts } from '@orch/scheduler-process';
import type { SchedulerConnections } from './connections.js';
import type { SchedulerOptionValues } from './options.js';

/** Settings and dependencies of the components of the process. */
export interface SchedulerParts extends SchedulingParts {
  /** Options of the command line. */
  readonly options: SchedulerOptionValues;
  /** Connections to the API. */
  readonly connections: SchedulerConnections;
}
