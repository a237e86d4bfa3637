import type { Connection } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { Logger, Metrics } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import type { SchedulerOptionValues } from './options.js';

/** What the components of the process are made from. */
export interface Parts {
  readonly options: SchedulerOptionValues;
  readonly configuration: SchedulerConfiguration;
  readonly connection: Connection;
  readonly logger: Logger;
  readonly names: Names;
  readonly metrics: Metrics;
}
