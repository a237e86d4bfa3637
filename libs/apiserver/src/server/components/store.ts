import { readServiceAccountKeys } from '@orch/credentials';
import { natsSettings } from '@orch/feed';
import { namesOf } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { compactionMetrics } from '../../metrics/compaction-metrics.js';
import { observeLeases, observePools } from '../../metrics/store-observer.js';
import { CompactionReports } from '../compaction-reports.js';
import { encrypted, openEncryption } from '../encryption.js';
import { declare, type Host, tellingOf } from './process.js';

/** The store, and the encryption of its bodies. */
export const store = declare(
  { name: 'store', needs: ['observation'], later: ['served'], makes: ['serviceAccountKeys', 'encryption', 'store'] },
  (process) => ({
    async start() {
      await refuseEarly(process);
      const { settings, logger, lifecycle } = process;
      const telling = tellingOf(process);
      const { backend, serving } = settings;
      const encryption = await openEncryption({ serving, backend, ...telling });
      process.provide({ encryption });
      const { store: observer, metrics } = process.need('observation');
      const host = { metrics, logger, fail: (error: unknown) => lifecycle.fail(error), stopping: lifecycle.stopping };
      const opened = encrypted(await settings.openStore(observer, host), encryption, { metrics, logger });
      process.provide({ store: opened });
      lifecycle.stopping.addEventListener('abort', () => {
        // A process that serves does so with all patience until its listeners are closed.
        if (process.peek('served') === undefined) opened.prepareClose();
      });
      observePools(metrics, opened);
      observeLeases(metrics, opened);
      const seriesOf = compactionMetrics(metrics);
      opened.compactors.forEach((compactor, database) => {
        new CompactionReports({ compactor, database, series: seriesOf(database), logger, clock: systemClock });
        compactor.start();
      });
    },
    async stop() {
      process.peek('encryption')?.close();
      await process.peek('store')?.close();
    },
  }),
);

/**
 * Stops after what serves requests and before what works beside them: from then on an absent database is not waited
 * for.
 */
export const closingWatch = declare({ name: 'closing-watch', needs: ['store'] }, (process) => ({
  async start() {},
  async stop() {
    process.peek('store')?.prepareClose();
  },
}));

/** Rejects invalid settings before anything is waited for. */
async function refuseEarly(process: Host<never, 'serviceAccountKeys'>): Promise<void> {
  const { backend, serving } = process.settings;
  natsSettings(backend);
  const serviceAccountKeys = await readServiceAccountKeys(serving, namesOf(serving.naming));
  for (const warning of serviceAccountKeys.warnings) process.logger.warn(warning);
  process.provide({ serviceAccountKeys });
}
