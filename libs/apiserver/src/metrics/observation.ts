import { CertificateEnds, observeCertificates } from '@orch/credentials';
import type { VersionInfo } from '@orch/discovery';
import type { ChangeBus, FeedObserver, OrderedFeed } from '@orch/feed';
import { feedObserver, observeFeed } from '@orch/feed';
import { ResourceNames, type ServedResources } from '@orch/resources';
import { type Logger, Metrics, openTracing, systemClock, type Tracing } from '@orch/runtime';
import { API_RELEASE } from '@orch/schema';
import { DeliveryObserver } from '@orch/serving';
import type { StoreObserver, TypeId } from '@orch/storage';
import { forgetGoneKinds } from './gone-kinds.js';
import { migrationLog } from './migration-log.js';
import { clockOffset, type ReviewKind, reviewCalls } from './outside-metrics.js';
import { observeBuild } from './process-observer.js';
import { storeObserver } from './store-observer.js';
import { readTracingConfig } from './tracing-config.js';

interface ObservationSettings {
  /** Name of this process in traces. */
  readonly serviceName: string;
  readonly version: VersionInfo;
  /** Undefined: no traces. */
  readonly tracingConfigFile: string | undefined;
  /** Whether metrics are shown that were hidden with this release. */
  readonly showHiddenMetrics: boolean;
  readonly logger: Logger;
}

/** Instrumentation of one process: its metrics, its traces, and the observers through which its parts report. */
export class Observation {
  /** Metrics of the process. */
  readonly metrics: Metrics;
  /** Names of types for labels of metrics. */
  readonly names = new ResourceNames();
  /** Observer of the store. */
  readonly store: StoreObserver;
  /** Observer of the change feed. */
  readonly feed: FeedObserver;
  /** Observer of watches. */
  readonly delivery: DeliveryObserver;
  /** Expiry times of the certificates in use. */
  readonly certificateEnds = new CertificateEnds();
  /** Returns a counter of the calls of a webhook. */
  readonly reviewAsked: (webhook: ReviewKind) => (failed: boolean) => void;
  readonly #forgetFeed: (type: TypeId) => void;

  private constructor(
    readonly tracing: Tracing | undefined,
    { logger, version, showHiddenMetrics }: ObservationSettings,
  ) {
    this.metrics = new Metrics({ release: API_RELEASE, showHidden: showHiddenMetrics }).withProcessMetrics();
    this.store = {
      ...storeObserver(this.metrics, tracing),
      clockRead: clockOffset(this.metrics),
      migration: migrationLog(logger),
    };
    this.delivery = new DeliveryObserver(this.metrics, tracing);
    const { forget, ...feed } = feedObserver(this.metrics, this.names);
    this.#forgetFeed = forget;
    this.feed = {
      ...feed,
      failed(error) {
        feed.failed();
        logger.error('change feed', error);
      },
    };
    this.reviewAsked = reviewCalls(this.metrics);
    observeBuild(this.metrics, version);
    observeCertificates(this.metrics, this.certificateEnds);
  }

  /** @throws Error for a tracing configuration that cannot be used */
  static async open(settings: ObservationSettings): Promise<Observation> {
    const { serviceName, version, tracingConfigFile, logger } = settings;
    if (tracingConfigFile === undefined) return new Observation(undefined, settings);
    const config = await readTracingConfig(tracingConfigFile);
    const tracing = await openTracing({
      ...config,
      serviceName,
      serviceVersion: version.gitVersion,
      instanceId: `${process.pid}`,
      onError: (error) => logger.v(1)?.info('traces could not be sent', { error: String(error) }),
    });
    return new Observation(tracing, settings);
  }

  /** Follows the served kinds: names their types in labels, and removes the series of kinds that are gone. */
  followKinds(served: ServedResources): void {
    const { metrics, names } = this;
    names.follow(served);
    forgetGoneKinds({
      ...{ metrics, served, clock: systemClock },
      forgetType: (type) => {
        names.forget(type);
        this.#forgetFeed(type);
      },
    });
  }

  /** The gauges of a feed and of the bus under it. */
  watchFeed(feed: Pick<OrderedFeed, 'lag'>, bus: Pick<ChangeBus, 'healthy'>): void {
    observeFeed(this.metrics, feed, bus);
  }

  /** Sends the remaining spans. */
  async close(): Promise<void> {
    await this.tracing?.close();
  }
}
