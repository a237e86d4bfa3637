import type { Connection } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { Logger, Metrics } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import type { SchedulerOptionValues } from './options.js';

/** Settings and dependencies of the components of the process. */
export interface Parts {
  /** Options of the command line. */
  readonly options: SchedulerOptionValues;
  /** The configuration of the file, with defaults. */
  readonly configuration: SchedulerConfiguration;
  /** Connection to the API. */
  readonly connection: Connection;
  /** Log of the process. */
  readonly logger: Logger;
  /** Names of the installation. */
  readonly names: Names;
  /** Metrics of `/metrics`. */
  readonly metrics: Metrics;
}
