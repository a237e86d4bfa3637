import { hostname } from 'node:os';
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
import { eventSink, podWrites, volumeWrites } from './api.js';
import { openExtenders } from './extender-calls.js';
import { schedulerLeadership } from './leading.js';
import type { SchedulingParts } from './parts.js';

/** A component that knows all pods. */
export interface SchedulingComponent extends Component {
  /** Returns all pods that have not ended. */
  readonly pods: () => Iterable<Pod>;
}

/** Follows the cluster, and schedules pods while this process leads. */
export function schedulingComponent(parts: SchedulingParts): SchedulingComponent {
  const { configuration, cluster, names, logger } = parts;
  const { informers } = cluster;
  const { extenders, close } = openExtenders(configuration.extenders, (extender, error) =>
    logger.warn('an extender failed', { extender, error: (error as Error).message }),
  );
  const term = new SchedulingTerm(parts, extenders);
  const leadership = schedulerLeadership(configuration, cluster, names, term);
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
      await Promise.all([close(), cluster.close()]);
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
    private readonly extenders: Extenders,
  ) {
    const { names, cluster } = parts;
    const { informers } = cluster;
    // Each term has a writer of its own, which ends with it.
    const writer = volumeWrites(cluster.writes(() => false));
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
    const { configuration, cluster, maxBindings, logger, names, maxVolumes, maxUnschedulableMs: flushMs } = this.parts;
    const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
    const writes = cluster.writes(mayWrite);
    const volumes = this.#volumes.writtenBy(volumeWrites(writes));
    const host = { names, volumes, ...(maxVolumes !== undefined && { maxVolumes }) };
    const events = this.#newRecorder();
    this.#events = events;
    return new Scheduler({
      profiles: configuration.profiles.map((each) => makeProfile(each, percentageOfNodesToScore, host)),
      ...{ informers: cluster.informers, names, observer: this.#observer, extenders: this.extenders, maxBindings },
      api: podWrites(writes),
      events,
      ...(flushMs !== undefined && { flushMs }),
      backoff: { firstMs: first * 1_000, longestMs: longest * 1_000 },
      onError: (error, pod) => logger.error('a pod could not be scheduled, and is tried again', error, { pod }),
    });
  }

  #newRecorder(): SeriesRecorder {
    const { logger, names, cluster } = this.parts;
    return new SeriesRecorder({
      ...{ sink: eventSink(cluster.events, names), instance: hostname(), clock: systemClock },
      onError: (error, reason) => logger.warn('an event was not written', { reason, error: (error as Error).message }),
    });
  }
}
