import { type ChangeBus, inProcessBus, jetStreamBus } from '@orch/feed';
import type { Logger } from '@orch/runtime';
import { openStore, type PostgresStore } from '@orch/storage';
import type { BackendOptions, ServingOptions } from './options.js';

/** The PostgreSQL store at a URL, treated as the options say. */
export function storeAt(url: string, serving: ServingOptions, backend: BackendOptions): Promise<PostgresStore> {
  return openStore({ url, naming: serving.naming, retention: backend.historyRetention });
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
