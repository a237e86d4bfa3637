import { ownersApart } from '@orch/resources';
import {
  openStore,
  PlacedStore,
  type PostgresStore,
  type ServingStore,
  type StoreObserver,
  type StoreOptions,
} from '@orch/storage';
import type { BackendOptions, ServingOptions } from './options.js';
import { parseOverrides } from './storage-overrides.js';

/** Most milliseconds that history grows before its partition is closed, and between rounds that drop old ones. */
const PARTITION_MS = 60_000;
const COMPACTION_MS = 15_000;

/** Settings of the store beside the options of the command line. */
interface StoreNeeds {
  readonly observer: StoreObserver;
  /** Whether a database role that may not write is enough. */
  readonly mayOnlyRead: boolean;
}

/** Opens the store at a PostgreSQL URL, and the databases in which the options place other types. */
export async function storeAt(
  url: string,
  serving: Pick<ServingOptions, 'naming'>,
  backend: BackendOptions,
  needs: StoreNeeds,
): Promise<ServingStore> {
  const overrides = parseOverrides(backend.storageOverride);
  const options = storeOptions(serving, backend, needs);
  const { postgresReadUrl: readUrl } = backend;
  const main = await openStore({ ...options, url, ...(readUrl !== undefined && { readUrl }) });
  if (overrides.length === 0) return main;
  const stores = new Map<string, PostgresStore>();
  try {
    for (const { resource, url: other } of overrides)
      if (!stores.has(other)) stores.set(other, await openOverride(resource, { ...options, url: other }));
  } catch (error) {
    await Promise.all([main, ...stores.values()].map((store) => store.close()));
    throw error;
  }
  const placements = overrides.map(({ group, resource, url: other }) => ({
    group,
    resource,
    store: stores.get(other) as PostgresStore,
  }));
  return new PlacedStore(main, placements);
}

/** Opens the database of an override, which must be available like the main one: it assigns the ids of its types. */
async function openOverride(resource: string, options: StoreOptions): Promise<PostgresStore> {
  try {
    return await openStore(options);
  } catch (error) {
    throw new Error(`--storage-override of ${resource}: ${(error as Error).message}`, { cause: error });
  }
}

function storeOptions(serving: Pick<ServingOptions, 'naming'>, backend: BackendOptions, needs: StoreNeeds) {
  const { historyRetention: retention } = backend;
  return {
    naming: serving.naming,
    retention,
    pooling: backend.postgresPooling === 'transaction' ? ('transaction' as const) : ('session' as const),
    readConnections: backend.postgresReadConnections,
    historyConnections: backend.postgresHistoryConnections,
    historyPageBytes: backend.historyPageBytes,
    waitingBytes: backend.writeQueueBytes,
    // Two more than lists may hold, for loads of the watch cache.
    snapshotConnections: backend.databaseLists + 2,
    // Shorter where little history is kept, so that history does not last several times the retention.
    partitionInterval: Math.min(PARTITION_MS, retention / 5),
    compactionInterval: Math.min(COMPACTION_MS, retention / 5),
    bodies: ownersApart,
    migrates: backend.migrate,
    ...needs,
  };
}
