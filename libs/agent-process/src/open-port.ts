import { type NodeAgent, writtenAgentConfiguration } from '@orch/agent';
import { AgentServer } from '@orch/agent-server';
import type { Client } from '@orch/client';
import type { Runtime } from '@orch/container-runtime';
import { type PairSource, servingCertificate } from '@orch/node-certificates';
import { systemClock } from '@orch/runtime';
import type { AgentParts } from './parts.js';

/** The port of an agent. */
interface OpenPort {
  /** Closes it and all of its connections. */
  stop(): Promise<void>;
}

/** Parts of an agent that its port shows. */
interface Shown {
  /** The agent. */
  readonly agent: NodeAgent;
  /** Its runtime. */
  readonly runtime: Runtime;
  /** Client of the API; absent without one. */
  readonly client?: Client;
}

/** Opens the port of an agent, and the certificate that it shows. @throws Error for files and addresses that cannot be used */
export async function openPort(parts: AgentParts, { agent, runtime, client }: Shown): Promise<OpenPort> {
  const { options, names, logger, metrics } = parts;
  const { node } = agent;
  const shared = { names, logger, metrics, ...(client && { client }) };
  const certificate = await servingCertificate({
    ...{ options, node: node.name, clock: systemClock, ...shared },
    addresses: () => (node.object.status?.addresses ?? []).map(({ type = '', address = '' }) => ({ type, address })),
  });
  try {
    const server = await AgentServer.open({
      ...{ options, runtime, clock: systemClock, ...shared },
      agent: {
        nodeName: node.name,
        pods: () => agent.pods(),
        syncProblem: () => agent.syncProblem(),
        usage: agent.usage,
        probes: () => agent.probes(),
        configuration: () => writtenAgentConfiguration(options),
      },
      pair: () => certificate.pair(),
    });
    certificate.onChange(() => server.renew());
    await server.start();
    if (options.enableServer) logger.info('the node agent serves', { address: options.address, port: server.port });
    return portOf(server, certificate);
  } catch (error) {
    await certificate.stop();
    throw error;
  }
}

const portOf = (server: AgentServer, certificate: PairSource): OpenPort => ({
  async stop() {
    await server.stop();
    await certificate.stop();
  },
});
