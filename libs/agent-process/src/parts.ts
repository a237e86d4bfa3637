import type { NodeAgentOptions } from '@orch/agent';
import type { Connection } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { Logger, Metrics } from '@orch/runtime';

/** Settings and dependencies of the process of an agent. */
export interface AgentParts {
  /** Options of the command line, and of the configuration file. */
  readonly options: NodeAgentOptions;
  /** Connection to the API, where somebody else has made it. Default: that of `--kubeconfig`; without one, static pods alone run. */
  readonly connection?: Connection;
  /** Folder of the logs of pods. Default: `--pod-logs-dir`. */
  readonly podLogs?: string;
  /** Log of the process. */
  readonly logger: Logger;
  /** Metrics of the process. */
  readonly metrics: Metrics;
  /** Names of the installation. */
  readonly names: Names;
}
