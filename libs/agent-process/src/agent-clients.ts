import type { NodeAgentOptions } from '@orch/agent';
import { Client, type Connection } from '@orch/client';
import { ObjectCodec } from '@orch/codec';
import type { Names } from '@orch/machinery';
import { loadScheme } from '@orch/schema';

/** Name by which the API knows what agents send. */
const USER_AGENT = 'kubelet';
const DEFAULT_QPS = 50;
const DEFAULT_BURST = 100;
/** Connections on which Events are written. */
const EVENT_CONNECTIONS = 4;

/** Clients of the API, each with connections of its own. */
interface AgentConnections {
  /** For pods and what they use, limited by `--kube-api-qps`. */
  readonly pods: Client;
  /** For heartbeats: limited by nothing, and timed out by their interval. */
  readonly heartbeats: Client;
  /** For events, which have limits of their own. */
  readonly events: Client;
}

/** Opens the clients of an agent. */
export function openClients(options: NodeAgentOptions, connection: Connection, names: Names): AgentConnections {
  const { kubeApiQps, kubeApiBurst, kubeApiContentType, nodeStatusUpdateFrequency } = options;
  const isJson = kubeApiContentType === 'application/json';
  const form = isJson ? undefined : new ObjectCodec(loadScheme(names), names.protobufMediaType);
  const shared = { names, userAgent: USER_AGENT, ...(form && { form }) };
  return {
    pods: new Client(connection, { ...shared, qps: kubeApiQps || DEFAULT_QPS, burst: kubeApiBurst || DEFAULT_BURST }),
    heartbeats: new Client(connection, { ...shared, qps: -1, timeoutMs: nodeStatusUpdateFrequency }),
    events: new Client(connection, { ...shared, qps: -1, maxConnections: EVENT_CONNECTIONS }),
  };
}
