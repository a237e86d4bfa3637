export { certificateFilesIn, parseDatabaseUrl } from './connections/connection-url.js';
export { type BodyCodec, type SplitBody, UNDIVIDED } from './face/body-codec.js';
export * from './face/errors.js';
export type { Key, TypeId, Version } from './face/key.js';
export type { ObjectStore } from './face/object-store.js';
export type { MigrationStep, PoolStats, StoreBatch, StoreObserver } from './face/observer.js';
export type { StoreOptions } from './face/options.js';
export type { ServingStore } from './face/serving-store.js';
export * from './face/store.js';
export type { TypeName } from './face/type-name.js';
export type { AnnouncementKey, AnnouncementKeys } from './maintenance/announcement-keys.js';
export type { CompactionRound, Compactor, HistoryBounds } from './maintenance/compactor.js';
export type { Expirer, ExpiryRound } from './maintenance/expirer.js';
export type { LeaseState, ProcessLease } from './maintenance/lease.js';
export { IncompatibleDatabaseError, type Installation, type Migration } from './maintenance/migrate.js';
export type { LeftPartition } from './maintenance/partition-drops.js';
export type { LeastProgress, Presence, Progress } from './maintenance/presence.js';
export { Rounds } from './maintenance/rounds.js';
export type { SideSchema } from './maintenance/side-schema.js';
export { PlacedStore, type Placement } from './placed-store.js';
export { openStore, type PostgresStore } from './postgres-store.js';
export { storageOptions } from './process/storage-options.js';
export { earlyCollection } from './reads/early-collection.js';
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
export { Gatherer, type GathererOptions } from './writes/gatherer.js';
export type { Uncharged } from './writes/uncharged.js';
export { checkSet, checkSingle } from './writes/write-batch.js';
