import { readServiceAccountKeys } from '@orch/credentials';
import type { Encryption } from '@orch/encryption';
import { natsSettings } from '@orch/feed';
import { namesOf } from '@orch/machinery';
import { type HealthCheck, type HealthRegistry, systemClock } from '@orch/runtime';
import type { SealedStore } from '@orch/storage';
import { compactionMetrics } from '../../metrics/compaction-metrics.js';
import { observeLeases, observePools } from '../../metrics/store-observer.js';
import { CompactionReports } from '../compaction-reports.js';
import { encrypted, openEncryption } from '../encryption.js';
import { declare, type Host, tellingOf } from './process.js';

/** The store, and the encryption of its bodies. */
export const store = declare(
  { name: 'store', needs: ['observation'], later: ['served'], makes: ['serviceAccountKeys', 'encryption', 'store'] },
  (process) => {
    process.health.add(
      storeCheck(() => process.peek('store')),
      'readyz',
      'healthz',
    );
    return {
      async start() {
        await refuseEarly(process);
        const { settings, logger, lifecycle } = process;
        const telling = tellingOf(process);
        const { backend, serving } = settings;
        const encryption = await openEncryption({ serving, backend, ...telling });
        process.provide({ encryption });
        if (encryption) addEncryptionCheck(process.health, encryption);
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
        startCompaction(opened, telling);
      },
      async stop() {
        process.peek('encryption')?.close();
        await process.peek('store')?.close();
      },
    };
  },
);

function startCompaction({ compactors }: SealedStore, { metrics, logger }: ReturnType<typeof tellingOf>): void {
  const seriesOf = compactionMetrics(metrics);
  compactors.forEach((compactor, database) => {
    new CompactionReports({ compactor, database, series: seriesOf(database), logger, clock: systemClock });
    compactor.start();
  });
}

/** Adds the check of key services. A restart would lose the cached keys with which the server still decrypts. */
export const addEncryptionCheck = (health: HealthRegistry, encryption: Pick<Encryption, 'check'>): HealthRegistry =>
  health.add({ name: 'kms-providers', check: () => encryption.check() }, 'readyz', 'healthz');

/** Fails while the database cannot be reached. */
export const storeCheck = (opened: () => Pick<SealedStore, 'ping'> | undefined): HealthCheck => ({
  name: 'postgres',
  async check() {
    const known = opened();
    if (!known) throw new Error('the database is not open yet');
    await known.ping();
  },
});

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
