import type { NodeAgentOptions } from '@orch/agent';
import { agentComponent } from '@orch/agent-process';
import { readKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { createLogger, Lifecycle, runToCompletion } from '@orch/runtime';

/** Runs a node agent until it is told to end. Its containers go on. Resolves with the exit code. */
export async function runNodeAgent(options: NodeAgentOptions): Promise<number> {
  const logger = createLogger({ format: options.loggingFormat, verbosity: options.v });
  const names = namesOf(options.naming);
  const { kubeconfig } = options;
  const connection = kubeconfig === undefined ? undefined : await readKubeconfig(kubeconfig, { names });
  if (!connection) logger.warn('without --kubeconfig, only static pods run');
  const lifecycle = new Lifecycle({ logger });
  lifecycle.add(agentComponent({ options, logger, names, ...(connection && { connection }) }));
  return runToCompletion(lifecycle, logger);
}
