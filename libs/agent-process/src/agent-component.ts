import { NodeAgent } from '@orch/agent';
import { systemMounter } from '@orch/pod-environment';
import { type Component, systemClock } from '@orch/runtime';
import { openClients } from './agent-clients.js';
import { openConnection } from './open-connection.js';
import { openPort } from './open-port.js';
import { openRuntime } from './open-runtime.js';
import type { AgentParts } from './parts.js';

/** Something that was opened, and has to be closed. */
type Close = () => void | Promise<void>;

/** The agent with its connection, its runtime and its port. Containers go on when it stops. */
export function agentComponent(parts: AgentParts): Component {
  const stopping = new AbortController();
  /** In the order in which they were opened. */
  const opened: Close[] = [];
  return {
    name: 'node agent',
    start: () => open(parts, stopping.signal, (close) => opened.push(close)),
    async stop() {
      stopping.abort();
      for (const close of opened.splice(0).reverse()) await close();
    },
  };
}

/** Opens everything in turn, each with what closes it. @param signal ends the wait for a certificate */
async function open(parts: AgentParts, signal: AbortSignal, onOpen: (close: Close) => void): Promise<void> {
  const { options, podLogs, logger, names } = parts;
  const connected = await openConnection(parts, signal);
  if (connected) onOpen(() => connected.stop());
  if (signal.aborted) return;
  const clients = connected && openClients(options, connected.connection, names);
  for (const client of Object.values(clients ?? {})) onOpen(() => client.close());
  const runtime = await openRuntime(options, logger);
  onOpen(() => runtime.close());
  const settings = { options, runtime, mounter: systemMounter, clock: systemClock, logger };
  const agent = await NodeAgent.start({ ...settings, ...(clients && { clients }), ...(podLogs && { podLogs }) });
  onOpen(() => agent.stop());
  const port = await openPort(parts, { agent, runtime, ...(clients && { client: clients.pods }) });
  onOpen(() => port.stop());
  logger.info('the node agent runs', { node: agent.node.name, runtime: options.containerRuntimeEndpoint });
  onOpen(() =>
    logger.info('containers go on, and are found again at the next start of the agent', { node: agent.node.name }),
  );
}
