export type { AnnouncementKey, AnnouncementKeys } from './announcement-keys.js';
export { type BodyCodec, type SplitBody, UNDIVIDED } from './body-codec.js';
export type { CompactionRound, Compactor, HistoryBounds } from './compactor.js';
export { certificateFilesIn, parseDatabaseUrl } from './connection-url.js';
export { earlyCollection } from './early-collection.js';
export * from './errors.js';
export type { Expirer, ExpiryRound } from './expirer.js';
export { Gatherer, type GathererOptions } from './gatherer.js';
export type { Key, TypeId, Version } from './key.js';
export type { LeaseState, ProcessLease } from './lease.js';
export { IncompatibleDatabaseError, type Installation, type Migration } from './migrate.js';
export type { MigrationStep, PoolStats, StoreBatch, StoreObserver } from './observer.js';
export type { StoreOptions } from './options.js';
export type { LeftPartition } from './partition-drops.js';
export { PlacedStore, type Placement } from './placed-store.js';
export { openStore, type PostgresStore } from './postgres-store.js';
export type { LeastProgress, Presence, Progress } from './presence.js';
export { storageOptions } from './process/storage-options.js';
export { Rounds } from './rounds.js';
export {
  type BodyCipher,
  isSealed,
  NO_CIPHER,
  SEALED,
  typeText,
  UnreadableBodyError,
  UnreadableChangesError,
  UnreadableListError,
  UnsealableBodyError,
} from './sealing/body-cipher.js';
export { type RewriteOrder, type Rewritten, rewriteBodies } from './sealing/rewrite-bodies.js';
export { SealedStore } from './sealing/sealed-store.js';
export type { ServingStore } from './serving-store.js';
export type { SideSchema } from './side-schema.js';
export * from './store.js';
export type { TypeName } from './type-name.js';
export type { Uncharged } from './uncharged.js';
export { checkSet, checkSingle } from './write-batch.js';
