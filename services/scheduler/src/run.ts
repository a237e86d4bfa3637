import { hostname } from 'node:os';
import { Client, loadConnection } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type Component, createLogger, Lifecycle, Metrics, runToCompletion, systemClock } from '@orch/runtime';
import {
  makeProfile,
  Scheduler,
  type SchedulerConfiguration,
  type SchedulerObserver,
  SeriesRecorder,
  schedulerMetrics,
  VolumeContext,
} from '@orch/scheduler';
import { clientApi, clientEvents, clientVolumes } from './api.js';
import { type ClientInformers, clientInformers } from './informers.js';
import { schedulerLeadership } from './leading.js';
import type { SchedulerOptionValues } from './options.js';
import type { Parts } from './parts.js';
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
  const lifecycle = new Lifecycle({ logger });
  const parts = { options, configuration, connection, logger, names, metrics: new Metrics() };
  lifecycle.add(portComponent(parts)).add(schedulerComponent(parts));
  return runToCompletion(lifecycle, logger);
}

/** Clients of their own, so that none waits for another's connections. */
interface Clients {
  readonly reading: Client;
  readonly writing: Client;
  readonly events: Client;
}

/** Connections on which Events are written. */
const EVENT_CONNECTIONS = 4;

function schedulerComponent(parts: Parts): Component {
  const { configuration, connection, names, logger, options } = parts;
  const { qps, burst } = configuration.clientConnection;
  const shared = { names, qps, burst, userAgent: 'kube-scheduler' };
  const client = (maxConnections: number) => new Client(connection, { ...shared, maxConnections });
  const reading = new Client(connection, shared);
  const clients: Clients = { reading, writing: client(options.maxBindings), events: client(EVENT_CONNECTIONS) };
  const informers = clientInformers(clients.reading, names, (error, resource) =>
    logger.warn('a resource could not be followed', { resource, error: (error as Error).message }),
  );
  let scheduler: Scheduler | undefined;
  const observer = schedulerMetrics(parts.metrics, () => scheduler);
  const leadership = schedulerLeadership(configuration, connection, names, {
    lead() {
      logger.info('this process schedules pods');
      scheduler = newScheduler(parts, { clients, informers, observer, leads: () => leadership.leads });
      scheduler.start();
    },
    retire() {
      void scheduler?.stop();
      scheduler = undefined;
    },
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
      await Promise.all(Object.values(clients).map((each: Client) => each.close()));
    },
  };
}

interface Surroundings {
  readonly clients: Clients;
  readonly informers: ClientInformers;
  readonly observer: SchedulerObserver;
  readonly leads: () => boolean;
}

function newScheduler(
  { configuration, options, logger, names }: Parts,
  { clients, informers, observer, leads }: Surroundings,
) {
  const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
  const writer = clientVolumes(clients.writing, leads);
  const volumes = new VolumeContext({ objects: informers, pods: informers.pods, writer, clock: systemClock, names });
  return new Scheduler({
    profiles: configuration.profiles.map((each) => makeProfile(each, percentageOfNodesToScore, { names, volumes })),
    ...{ informers, names, observer, maxBindings: options.maxBindings },
    api: clientApi(clients.writing, leads),
    events: new SeriesRecorder({
      ...{ sink: clientEvents(clients.events, names), instance: hostname(), clock: systemClock },
      onError: (error, reason) => logger.warn('an event was not written', { reason, error: (error as Error).message }),
    }),
    backoff: { firstMs: first * 1_000, longestMs: longest * 1_000 },
    onError: (error, pod) => logger.error('a pod could not be scheduled, and is tried again', error, { pod }),
  });
}
