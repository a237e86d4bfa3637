import { NodeAgent } from '@orch/agent';
import type { Runtime } from '@orch/container-runtime';
import { systemMounter } from '@orch/pod-environment';
import { type Component, systemClock } from '@orch/runtime';
import { type AgentConnections, openClients } from './agent-clients.js';
import { openRuntime } from './open-runtime.js';
import type { AgentParts } from './parts.js';

/** The agent with its runtime and its clients. Containers go on when it stops. */
export function agentComponent({ options, connection, logger, names }: AgentParts): Component {
  const clients = connection && openClients(options, connection, names);
  let runtime: Runtime | undefined;
  let agent: NodeAgent | undefined;
  return {
    name: 'node agent',
    async start() {
      runtime = await openRuntime(options, logger);
      const settings = { options, runtime, mounter: systemMounter, clock: systemClock, logger };
      agent = await NodeAgent.start({ ...settings, ...(clients && { clients }) });
      logger.info('the node agent runs', { node: agent.node.name, runtime: options.containerRuntimeEndpoint });
    },
    async stop() {
      await agent?.stop();
      if (agent) logger.info('containers go on, and are found again at the next start', { node: agent.node.name });
      await Promise.all(connectionsOf(clients).map((client) => client.close()));
      await runtime?.close();
    },
  };
}

const connectionsOf = (clients: AgentConnections | undefined) => (clients ? Object.values(clients) : []);
