import { type ChangeBus, OrderedFeed } from '@orch/feed';
import type { Logger } from '@orch/runtime';
import type { SealedStore } from '@orch/storage';
import { observeWatchCache, WatchCache } from '@orch/watchcache';
import type { Observation } from '../metrics/observation.js';
import type { BusSettings } from './change-bus.js';
import type { BackendOptions } from './options.js';
import { sealedBus } from './sealed-bus.js';

interface ChangeFeedSettings {
  readonly backend: BackendOptions;
  readonly store: SealedStore;
  readonly observation: Observation;
  readonly logger: Logger;
  /** Whether this process makes what announcements are kept in. */
  readonly makesStream: boolean;
  openBus(settings: BusSettings): Promise<ChangeBus>;
}

/** The ordered feed of changes, and the cache in memory that is built from it. */
export interface ChangeFeed {
  /** Feed of the changes of all types, in order. */
  readonly feed: OrderedFeed;
  /** Cache of objects and recent changes, for lists and watches. */
  readonly cache: WatchCache;
  /** See {@link OrderedFeed.medianLag}. */
  medianLag(): number;
  /** Stops the cache, the feed and the bus. */
  close(): Promise<void>;
}

/** Announces what the store commits, follows what all stores announce, and keeps the watch cache from it. */
export async function openChangeFeed(settings: ChangeFeedSettings): Promise<ChangeFeed> {
  const { store, observation } = settings;
  const { delivery, metrics, names } = observation;
  const inner = await settings.openBus({
    logger: settings.logger,
    store,
    observer: delivery,
    nameOf: (type) => names.of(type),
    readTraces: observation.tracing !== undefined,
    makesStream: settings.makesStream,
  });
  const bus = sealedBus(inner, store, settings.backend.natsUrl.length > 0);
  const feed = new OrderedFeed({ source: store, bus, observer: observation.feed });
  store.onCommit((changes) => delivery.publish(bus, changes));
  const cache = openCache(settings, feed);
  observation.watchFeed(feed, bus);
  observeWatchCache(metrics, cache, names);
  return {
    feed,
    cache,
    medianLag: () => feed.medianLag(),
    async close() {
      cache.close();
      feed.close();
      await bus.close();
    },
  };
}

function openCache(settings: ChangeFeedSettings, feed: OrderedFeed): WatchCache {
  const { backend, store, observation, logger } = settings;
  return new WatchCache({
    source: store,
    feed,
    maxBytes: backend.watchCacheBytes,
    ringMaxAge: backend.historyRetention,
    ringMaxBytes: backend.watchRingBytes,
    maxFrameBytes: backend.watchFrameBytes,
    maxGather: backend.watchGather,
    bookmarkInterval: backend.watchBookmarkInterval,
    checkInterval: backend.watchCacheCheckInterval,
    historyBytes: backend.watchHistoryBytes,
    maxIndexes: backend.watchCacheIndexes,
    selectorLimits: { together: backend.watchSelectorTerms, perOwner: backend.watchSelectorTermsPerUser },
    initialLimits: { together: backend.watchInitialBytes, perOwner: backend.watchInitialBytesPerUser },
    maxStall: backend.watchStallTimeout,
    observer: observation.delivery,
    onError: (error) => logger.error('change feed', error),
  });
}
