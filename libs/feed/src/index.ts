export * from './feed.js';
export { inProcessBus } from './in-process-bus.js';
export { type JetStreamBusOptions, jetStreamBus } from './jetstream-bus.js';
export type { FeedObserver } from './observer.js';
export { OrderedFeed, type OrderedFeedOptions } from './ordered-feed.js';
