export type { CompactionRound, Compactor } from './compactor.js';
export { IncompatibleDatabaseError, type Installation } from './migrate.js';
export type { StoreOptions } from './options.js';
export { openStore, type PostgresStore } from './postgres-store.js';
export * from './store.js';
