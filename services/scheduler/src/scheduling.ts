import { hostname } from 'node:os';
import { Client } from '@orch/client';
import { type Component, systemClock } from '@orch/runtime';
import {
  type Extenders,
  makeProfile,
  Scheduler,
  type SchedulerObserver,
  SeriesRecorder,
  schedulerMetrics,
  VolumeContext,
} from '@orch/scheduler';
import type { Pod } from '@orch/schema/types/core/v1';
import { clientApi, clientEvents, clientVolumes } from './api.js';
import { openExtenders } from './extender-calls.js';
import { type ClientInformers, clientInformers } from './informers.js';
import { schedulerLeadership } from './leading.js';
import type { Parts } from './parts.js';

/** Clients of their own, so that none waits for another's connections. */
interface Clients {
  readonly reading: Client;
  readonly writing: Client;
  readonly events: Client;
}

/** Connections on which Events are written. */
const EVENT_CONNECTIONS = 4;

/** What all terms of leadership have in common. */
interface Surroundings {
  readonly clients: Clients;
  readonly informers: ClientInformers;
  readonly observer: SchedulerObserver;
  readonly extenders: Extenders;
  readonly volumes: VolumeContext;
  /** Whether this process leads. */
  readonly leads: () => boolean;
}

/** Follows the cluster, and schedules pods while this process leads. */
export function schedulingComponent(parts: Parts): Component & { readonly pods: () => Iterable<Pod> } {
  const { configuration, connection, names, logger } = parts;
  const clients = clientsOf(parts);
  const informers = clientInformers(clients.reading, names, (error, resource) =>
    logger.warn('a resource could not be followed', { resource, error: (error as Error).message }),
  );
  const { extenders, close } = openExtenders(configuration.extenders, (extender, error) =>
    logger.warn('an extender failed', { extender, error: (error as Error).message }),
  );
  const leads = (): boolean => leadership.leads;
  const writer = clientVolumes(clients.writing, leads);
  const volumes = new VolumeContext({ objects: informers, pods: informers.pods, writer, clock: systemClock, names });
  let scheduler: Scheduler | undefined;
  const observer = schedulerMetrics(parts.metrics, () => scheduler);
  const leadership = schedulerLeadership(configuration, connection, names, {
    lead() {
      logger.info('this process schedules pods');
      scheduler = newScheduler(parts, { clients, informers, observer, extenders, volumes, leads });
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
    pods: () => informers.pods.list(),
    async start() {
      await informers.start();
      leadership.start();
    },
    async stop() {
      await scheduler?.stop();
      await leadership.stop();
      await informers.stop();
      await Promise.all([close(), ...Object.values(clients).map((each: Client) => each.close())]);
    },
  };
}

function clientsOf({ configuration, connection, names, options }: Parts): Clients {
  const { qps, burst } = configuration.clientConnection;
  const shared = { names, qps, burst, userAgent: 'kube-scheduler' };
  const bounded = (maxConnections: number) => new Client(connection, { ...shared, maxConnections });
  return {
    reading: new Client(connection, shared),
    writing: bounded(options.maxBindings),
    events: bounded(EVENT_CONNECTIONS),
  };
}

function newScheduler({ configuration, options, logger, names }: Parts, around: Surroundings): Scheduler {
  const { clients, informers, observer, extenders, volumes, leads } = around;
  const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
  return new Scheduler({
    profiles: configuration.profiles.map((each) => makeProfile(each, percentageOfNodesToScore, { names, volumes })),
    ...{ informers, names, observer, extenders, maxBindings: options.maxBindings },
    api: clientApi(clients.writing, leads),
    events: new SeriesRecorder({
      ...{ sink: clientEvents(clients.events, names), instance: hostname(), clock: systemClock },
      onError: (error, reason) => logger.warn('an event was not written', { reason, error: (error as Error).message }),
    }),
    backoff: { firstMs: first * 1_000, longestMs: longest * 1_000 },
    onError: (error, pod) => logger.error('a pod could not be scheduled, and is tried again', error, { pod }),
  });
}
