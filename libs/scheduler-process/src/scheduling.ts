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
  volumeMetrics,
} from '@orch/scheduler';
import { VolumeContext } from '@orch/scheduler-plugins';
import type { Pod } from '@orch/schema/types/core/v1';
import { clientApi, clientEvents, clientVolumes } from './api.js';
import { openExtenders } from './extender-calls.js';
import { type ClientInformers, clientInformers } from './informers.js';
import { schedulerLeadership } from './leading.js';
import type { SchedulingParts } from './parts.js';

/** Clients of their own, so that none waits for another's connections. */
interface Clients {
  readonly reading: Client;
  readonly writing: Client;
  readonly events: Client;
}

/** Connections on which Events are written. */
const EVENT_CONNECTIONS = 16;

/** Dependencies of the schedulers of all terms of leadership. */
interface SharedParts {
  readonly clients: Clients;
  readonly informers: ClientInformers;
  readonly extenders: Extenders;
}

/** A component that knows all pods. */
export interface SchedulingComponent extends Component {
  /** Returns all pods that have not ended. */
  readonly pods: () => Iterable<Pod>;
}

/** Follows the cluster, and schedules pods while this process leads. */
export function schedulingComponent(parts: SchedulingParts): SchedulingComponent {
  const { configuration, connection, names, logger } = parts;
  const clients = clientsOf(parts);
  const informers = clientInformers(clients.reading, names, (error, resource) =>
    logger.warn('a resource could not be followed', { resource, error: (error as Error).message }),
  );
  const { extenders, close } = openExtenders(configuration.extenders, (extender, error) =>
    logger.warn('an extender failed', { extender, error: (error as Error).message }),
  );
  const term = new SchedulingTerm(parts, { clients, informers, extenders });
  const leadership = schedulerLeadership(configuration, connection, names, term);
  let stopped = false;
  return {
    name: 'scheduler',
    pods: () => informers.pods.list(),
    async start() {
      await informers.start();
      if (!stopped) leadership.start();
    },
    async stop() {
      stopped = true;
      await term.stop();
      await leadership.stop();
      await informers.stop();
      await Promise.all([close(), ...Object.values(clients).map((each: Client) => each.close())]);
    },
  };
}

/** Runs a scheduler for each term of leadership. */
class SchedulingTerm {
  #scheduler: Scheduler | undefined;
  #events: SeriesRecorder | undefined;
  readonly #observer: SchedulerObserver;
  readonly #volumes: VolumeContext;
  /** Counts the terms: nothing begun in one is written in another. */
  #terms = 0;

  constructor(
    private readonly parts: SchedulingParts,
    private readonly shared: SharedParts,
  ) {
    const { informers, clients } = shared;
    // Each term has a writer of its own, which ends with it.
    const writer = clientVolumes(clients.writing, () => false);
    const { names } = parts;
    this.#volumes = new VolumeContext({
      ...{ objects: informers, pods: informers.pods, writer, clock: systemClock, names },
      onFailed: volumeMetrics(parts.metrics),
    });
    this.#observer = schedulerMetrics(parts.metrics, () => this.#scheduler);
  }

  /** Begins a term. */
  readonly lead = (): void => {
    const term = ++this.#terms;
    this.parts.logger.info('this process schedules pods');
    this.#scheduler = this.#newScheduler(() => this.#scheduler !== undefined && this.#terms === term);
    this.#scheduler.start();
  };

  /** Ends a term: nothing more is written. */
  readonly retire = (): void => void this.stop();

  /** Reports a failure to renew the lease. */
  readonly onError = (error: unknown): void => this.parts.logger.error('the lease of the scheduler', error);

  /** Ends a term. Resolves when nothing is in flight any more. */
  async stop(): Promise<void> {
    const scheduler = this.#scheduler;
    this.#scheduler = undefined;
    this.#events?.stop();
    await scheduler?.stop();
  }

  #newScheduler(mayWrite: () => boolean): Scheduler {
    const { configuration, maxBindings, logger, names, maxVolumes, maxUnschedulableMs: flushMs } = this.parts;
    const { clients, informers, extenders } = this.shared;
    const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
    const volumes = this.#volumes.writtenBy(clientVolumes(clients.writing, mayWrite));
    const host = { names, volumes, ...(maxVolumes !== undefined && { maxVolumes }) };
    const events = this.#newRecorder();
    this.#events = events;
    return new Scheduler({
      profiles: configuration.profiles.map((each) => makeProfile(each, percentageOfNodesToScore, host)),
      ...{ informers, names, observer: this.#observer, extenders, maxBindings },
      api: clientApi(clients.writing, mayWrite),
      events,
      ...(flushMs !== undefined && { flushMs }),
      backoff: { firstMs: first * 1_000, longestMs: longest * 1_000 },
      onError: (error, pod) => logger.error('a pod could not be scheduled, and is tried again', error, { pod }),
    });
  }

  #newRecorder(): SeriesRecorder {
    const { logger, names } = this.parts;
    return new SeriesRecorder({
      ...{ sink: clientEvents(this.shared.clients.events, names), instance: hostname(), clock: systemClock },
      onError: (error, reason) => logger.warn('an event was not written', { reason, error: (error as Error).message }),
    });
  }
}

function clientsOf({ configuration, connection, names, maxBindings }: SchedulingParts): Clients {
  const { qps, burst } = configuration.clientConnection;
  const shared = { names, qps, burst, userAgent: 'kube-scheduler' };
  const bounded = (maxConnections: number) => new Client(connection, { ...shared, maxConnections });
  return {
    reading: new Client(connection, shared),
    writing: bounded(maxBindings),
    events: bounded(EVENT_CONNECTIONS),
  };
}
