import { type NodeConnection, nodeConnection } from '@orch/node-certificates';
import { systemClock } from '@orch/runtime';
import { nodeNameFor } from './options.js';
import type { AgentParts } from './parts.js';

/**
 * Opens the connection to the API: a client certificate is requested where `--bootstrap-kubeconfig` says so, and renewed by
 * `--rotate-certificates`. Undefined without a connection, and when `signal` aborts. @throws KubeconfigError
 */
export async function openConnection(parts: AgentParts, signal: AbortSignal): Promise<NodeConnection | undefined> {
  const { options, connection, names, logger, metrics } = parts;
  if (connection) return { connection, stop: async () => undefined };
  const { kubeconfig } = options;
  if (kubeconfig === undefined) {
    logger.warn('without --kubeconfig, only static pods run');
    return undefined;
  }
  return nodeConnection({
    ...{ options: { ...options, kubeconfig }, node: nodeNameFor(options) },
    ...{ names, clock: systemClock, logger, metrics, signal },
  });
}
