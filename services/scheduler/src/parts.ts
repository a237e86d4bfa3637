import type { SchedulingParts } from '@orch/scheduler-process';
import type { SchedulerOptionValues } from './options.js';

/** Settings and dependencies of the components of the process. */
export interface SchedulerParts extends SchedulingParts {
  /** Options of the command line. */
  readonly options: SchedulerOptionValues;
}
