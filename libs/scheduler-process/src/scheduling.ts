import { hostname } from 'node:os';
import { aborted, type Component, systemClock } from '@orch/runtime';
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
import type { WritingTerm } from './cluster.js';
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
  const release = async () => {
    await term.stop();
    await leadership.stop();
    await informers.stop();
    await Promise.all([close(), cluster.close()]);
  };
  return {
    name: 'scheduler',
    pods: () => informers.pods.list(),
    async start() {
      await informers.start();
      if (!stopped) leadership.start();
    },
    async stop(deadline) {
      stopped = true;
      leadership.halt();
      // A lease that cannot be given back in time lapses.
      await Promise.race([release(), aborted(deadline)]);
    },
  };
}

/** Runs a scheduler for each term of leadership. */
class SchedulingTerm {
  #scheduler: Scheduler | undefined;
  #events: SeriesRecorder | undefined;
  /** Ends what the term under way has in flight. */
  #ending = new AbortController();
  readonly #observer: SchedulerObserver;
  readonly #volumes: VolumeContext;

  constructor(
    private readonly parts: SchedulingParts,
    private readonly extenders: Extenders,
  ) {
    const { names, cluster } = parts;
    const { informers } = cluster;
    // Each term has a writer of its own, which ends with it.
    const writer = volumeWrites(cluster.writes({ goesOn: false, ended: AbortSignal.abort() }));
    this.#volumes = new VolumeContext({
      ...{ objects: informers, pods: informers.pods, writer, clock: systemClock, names },
      onFailed: volumeMetrics(parts.metrics),
    });
    this.#observer = schedulerMetrics(parts.metrics, () => this.#scheduler);
  }

  /** Begins a term. @param leads whether the lease is still held, by the clock */
  readonly lead = (leads: () => boolean): void => {
    this.parts.logger.info('this process schedules pods');
    this.#ending = new AbortController();
    const ended = this.#ending.signal;
    const term = {
      get goesOn() {
        return !ended.aborted && leads();
      },
      ended,
    };
    this.#scheduler = this.#newScheduler(term);
    this.#scheduler.start();
  };

  /** Ends a term: nothing more is written. */
  readonly retire = (): void => void this.stop();

  /** Reports a failure to renew the lease. */
  readonly onError = (error: unknown): void => this.parts.logger.error('the lease of the scheduler', error);

  /** Ends a term: what is in flight is given up. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#ending.abort(new Error('this process does not lead any more'));
    const scheduler = this.#scheduler;
    this.#scheduler = undefined;
    this.#events?.stop();
    await scheduler?.stop();
  }

  #newScheduler(term: WritingTerm): Scheduler {
    const { configuration, cluster, maxBindings, logger, names, maxVolumes, maxUnschedulableMs: flushMs } = this.parts;
    const { podInitialBackoffSeconds: first, podMaxBackoffSeconds: longest, percentageOfNodesToScore } = configuration;
    const writes = cluster.writes(term);
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
      onError(error, pod) {
        // What the end of the term has cut short is no failure.
        if (!term.ended.aborted) logger.error('a pod could not be scheduled, and is tried again', error, { pod });
      },
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
