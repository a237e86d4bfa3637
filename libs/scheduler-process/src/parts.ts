import type { Names } from '@orch/machinery';
import type { Logger, Metrics } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import type { SchedulerCluster } from './cluster.js';

/** Settings and dependencies of a scheduler of a process. */
export interface SchedulingParts {
  /** Pods that are being bound at a time. */
  readonly maxBindings: number;
  /** The configuration of the file, with defaults. */
  readonly configuration: SchedulerConfiguration;
  /** Access to the API. */
  readonly cluster: SchedulerCluster;
  /** Log of the process. */
  readonly logger: Logger;
  /** Names of the installation. */
  readonly names: Names;
  /** Disks of a cloud on nodes that give no limit; see {@link PluginHost}. */
  readonly maxVolumes?: number;
  /** Milliseconds after which a pod is tried again though nothing has changed. Default: 5 minutes. */
  readonly maxUnschedulableMs?: number;
  /** Metrics of `/metrics`. */
  readonly metrics: Metrics;
}
