import type { NodeAgentOptions } from '@orch/agent';
import { agentComponent } from '@orch/agent-process';
import { namesOf } from '@orch/machinery';
import { createLogger, Lifecycle, Metrics, RELEASE, runToCompletion } from '@orch/runtime';

/** Runs a node agent until it is told to end. Its containers go on. Resolves with the exit code. */
export async function runNodeAgent(options: NodeAgentOptions): Promise<number> {
  const logger = createLogger({ format: options.loggingFormat, verbosity: options.v });
  const metrics = new Metrics({ release: RELEASE }).withProcessMetrics();
  const lifecycle = new Lifecycle({ logger });
  lifecycle.add(agentComponent({ options, logger, metrics, names: namesOf(options.naming) }));
  return runToCompletion(lifecycle, logger);
}
