import { namesOf } from '@orch/machinery';
import { createLogger, Lifecycle, Metrics, RELEASE, runToCompletion } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import { clientCluster, maxVolumesOf, schedulingComponent } from '@orch/scheduler-process';
import { connectionsOf } from './connections.js';
import type { SchedulerOptionValues } from './options.js';
import { portComponent } from './port.js';

/** Runs a scheduler until it is told to end. Resolves with the exit code. */
export async function runScheduler(
  options: SchedulerOptionValues,
  configuration: SchedulerConfiguration,
): Promise<number> {
  const logger = createLogger({ format: options.loggingFormat, verbosity: options.v });
  const names = namesOf(options.naming);
  const { warning, ...limit } = maxVolumesOf(process.env);
  if (warning !== undefined) logger.warn(warning);
  const connections = await connectionsOf(options, configuration.clientConnection.kubeconfig, names);
  const { maxBindings } = options;
  const { own: connection } = connections;
  const parts = {
    ...{ options, maxBindings },
    ...limit,
    maxUnschedulableMs: options.podMaxInUnschedulablePodsDuration,
    configuration,
    connections,
    cluster: clientCluster({ connection, configuration, maxBindings, names, logger }),
    logger,
    names,
    metrics: new Metrics({ release: RELEASE }).withProcessMetrics(),
  };
  const scheduling = schedulingComponent(parts);
  const lifecycle = new Lifecycle({ logger });
  lifecycle.add(portComponent(parts, scheduling.pods)).add(scheduling);
  return runToCompletion(lifecycle, logger);
}
