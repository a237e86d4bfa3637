import { hostname } from 'node:os';
import { Client, type Connection, loadConnection } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { createLogger, Lifecycle, type Logger, runToCompletion, systemClock } from '@orch/runtime';
import { makeProfile, Scheduler, type SchedulerConfiguration, SeriesRecorder } from '@orch/scheduler';
import { clientApi, clientEvents } from './api.js';
import { clientInformers } from './informers.js';
import { schedulerLeadership } from './leading.js';
import type { SchedulerOptionValues } from './options.js';

/** Runs a scheduler until it is told to end. Resolves with the exit code. */
export async function runScheduler(options: SchedulerOptionValues, configuration: SchedulerConfiguration): Promise<number> {
  const logger = createLogger({ format: options.loggingFormat, verbosity: options.v });
  const names = namesOf(options.naming);
  const file = configuration.clientConnection.kubeconfig || options.kubeconfig;
  const connection = await loadConnection({ names, ...(file !== undefined && { file }) });
  const lifecycle = new Lifecycle({ logger });
  lifecycle.add(schedulerComponent({ options, configuration, connection, logger }));
  return runToCompletion(lifecycle, logger);
}

interface Parts {
  readonly options: SchedulerOptionValues;
  readonly configuration: SchedulerConfiguration;
  readonly connection: Connection;
  readonly logger: Logger;
}

function schedulerComponent(parts: Parts) {
  const { configuration, connection, options, logger } = parts;
  const names = namesOf(options.naming);
  const { qps, burst } = configuration.clientConnection;
  const settings = { names, qps, burst, userAgent: 'kube-scheduler' };
  const [reading, writing, telling] = [0, 1, 2].map(() => new Client(connection, settings)) as [Client, Client, Client];
  const informers = clientInformers(reading, names, (error, resource) =>
    logger.warn('a resource could not be followed', { resource, error: (error as Error).message }),
  );
  let scheduler: Scheduler | undefined;
  const retire = () => {
    void scheduler?.stop();
    scheduler = undefined;
  };
  const leadership = schedulerLeadership(configuration, connection, names, {
    lead() {
      logger.info('scheduling');
      scheduler = newScheduler(parts, informers, writing, telling, () => leadership.leads);
      scheduler.start();
    },
    retire,
    onError: (error) => logger.error('the lease of the scheduler', error),
  });
  return {
    name: 'scheduler',
    async start() {
      await informers.start();
      leadership.start();
    },
    async stop() {
      await scheduler?.stop();
      await leadership.stop();
      await informers.stop();
      await Promise.all([reading, writing, telling].map((client) => client.close()));
    },
  };
}

function newScheduler(
  { configuration, options, logger }: Parts,
  informers: ReturnType<typeof clientInformers>,
  writing: Client,
  telling: Client,
  leads: () => boolean,
): Scheduler {
  const names = namesOf(options.naming);
  const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
  return new Scheduler({
    profiles: configuration.profiles.map((profile) => makeProfile(profile, percentageOfNodesToScore, names)),
    ...{ informers, names, maxBindings: options.maxBindings },
    api: clientApi(writing, leads),
    events: new SeriesRecorder({
      ...{ sink: clientEvents(telling, names), instance: hostname(), clock: systemClock },
      onError: (error, reason) => logger.warn('an event was not written', { reason, error: (error as Error).message }),
    }),
    observer: BLIND,
    backoff: { firstMs: first * 1_000, longestMs: longest * 1_000 },
    onError: (error, pod) => logger.error('a pod could not be scheduled, and is tried again', error, { pod }),
  });
}
