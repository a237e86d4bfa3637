import type { NodeAgentOptions } from '@orch/agent';
import type { Connection } from '@orch/client';
import type { Names } from '@orch/machinery';
import type { Logger } from '@orch/runtime';

/** Settings and dependencies of the components of the process. */
export interface AgentParts {
  /** Options of the command line, and of the configuration file. */
  readonly options: NodeAgentOptions;
  /** Connection to the API; absent without one: then static pods alone run. */
  readonly connection?: Connection;
  /** Log of the process. */
  readonly logger: Logger;
  /** Names of the installation. */
  readonly names: Names;
}
