import type { Client } from '@orch/client';
import type { Runtime } from '@orch/container-runtime';
import type { Mounter } from '@orch/pod-environment';
import type { Clock, Logger } from '@orch/runtime';
import type { NodeAgentOptions } from '../options/agent-options.js';

/** Clients of the API, each with limits of its own. */
export interface AgentClients {
  /** For pods and what they use (`--kube-api-qps`, `--kube-api-burst`). */
  readonly pods: Client;
  /** For heartbeats: limited by nothing, and timed out by their interval. */
  readonly heartbeats: Client;
  /** For events. */
  readonly events: Client;
}

/** Settings of a node agent. */
export interface NodeAgentSettings {
  /** Values of its options. */
  readonly options: NodeAgentOptions;
  /** Clients of the API; absent without one: then static pods alone run. */
  readonly clients?: AgentClients;
  /** Runtime of the containers. */
  readonly runtime: Runtime;
  /** Mounts of the machine. */
  readonly mounter: Mounter;
  /** Folder of the logs of pods. Default: `--pod-logs-dir`. */
  readonly podLogs?: string;
  /** Folder where the kernel shows cgroups. Default `/sys/fs/cgroup`. */
  readonly cgroupMount?: string;
  /** Clock of everything. */
  readonly clock: Clock;
  /** Log of everything. */
  readonly logger: Logger;
}
