import type { Store } from './store.js';

/** The operations of a store on single objects: collections and histories are left out. */
export type ObjectStore = Pick<
  Store,
  'write' | 'writeSet' | 'get' | 'getStale' | 'isLost' | 'lastVersion' | 'settledHead'
>;
