export * from './feed.js';
export { feedObserver, observeFeed } from './feed-metrics.js';
export { inProcessBus } from './in-process-bus.js';
export { type JetStreamBusOptions, jetStreamBus, type MessageRefusal } from './jetstream-bus.js';
export { Keyring, type KeyringOptions } from './keyring.js';
export { natsOptions, natsSettings } from './nats-options.js';
export type { FeedObserver } from './observer.js';
export { OrderedFeed, type OrderedFeedOptions } from './ordered-feed.js';
export { anyPlaces, type ChangePlaces, type NatsPermissions, permissionsOf, placesOf } from './subjects.js';
