import { type ChangeBus, inProcessBus, jetStreamBus } from '@orch/feed';
import type { Logger } from '@orch/runtime';
import { openStore, type PostgresStore } from '@orch/storage';
import { failpoints } from './failpoints.js';
import type { BackendOptions, ServingOptions } from './options.js';

/** Most milliseconds that history grows before its partition is closed, and between rounds that drop old ones. */
const PARTITION_MS = 60_000;
const COMPACTION_MS = 15_000;

/** The PostgreSQL store at a URL, treated as the options say. */
export function storeAt(url: string, serving: ServingOptions, backend: BackendOptions): Promise<PostgresStore> {
  const { historyRetention: retention } = backend;
  return openStore({
    url,
    naming: serving.naming,
    retention,
    // Finer where history is to be short, so that it does not last several times as long as asked for.
    partitionInterval: Math.min(PARTITION_MS, retention / 5),
    compactionInterval: Math.min(COMPACTION_MS, retention / 5),
    publishBeforeCommit: failpoints(backend.failpoints).has('publish-before-commit'),
  });
}

/**
 * NATS when servers are named, else a bus within the process. Subjects and stream carry the id of the cluster, so that
 * installations may share a NATS.
 */
export function busOf({ natsUrl, natsSubjectPrefix }: BackendOptions, logger: Logger, clusterId: string): ChangeBus {
  if (natsUrl.length === 0) return inProcessBus();
  return jetStreamBus({
    servers: natsUrl,
    subjectPrefix: `${natsSubjectPrefix}.${clusterId}`,
    streamName: `${natsSubjectPrefix}-${clusterId}`,
    onError: (error) => logger.v(1)?.info('change bus', { error: String(error) }),
  });
}
