import { loadConnection } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { createLogger, Lifecycle, Metrics, RELEASE, runToCompletion } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import { schedulingComponent } from '@orch/scheduler-process';
import type { SchedulerOptionValues } from './options.js';
import { portComponent } from './port.js';

/** Runs a scheduler until it is told to end. Resolves with the exit code. */
export async function runScheduler(
  options: SchedulerOptionValues,
  configuration: SchedulerConfiguration,
): Promise<number> {
  const logger = createLogger({ format: options.loggingFormat, verbosity: options.v });
  const names = namesOf(options.naming);
  const file = configuration.clientConnection.kubeconfig || options.kubeconfig;
  const connection = await loadConnection({ names, ...(file !== undefined && { file }) });
  const parts = {
    options,
    maxBindings: options.maxBindings,
    configuration,
    connection,
    logger,
    names,
    metrics: new Metrics({ release: RELEASE }).withProcessMetrics(),
  };
  const scheduling = schedulingComponent(parts);
  const lifecycle = new Lifecycle({ logger });
  lifecycle.add(portComponent(parts, scheduling.pods)).add(scheduling);
  return runToCompletion(lifecycle, logger);
}
