import { Encryption, encryptionMetrics, leftOutObjects } from '@orch/encryption';
import { namesOf } from '@orch/machinery';
import { ownersApart } from '@orch/resources';
import type { Logger, Metrics } from '@orch/runtime';
import { NO_CIPHER, SealedStore, type ServingStore } from '@orch/storage';
import type { BackendOptions, ServingOptions } from './options.js';

interface EncryptionParts {
  readonly serving: Pick<ServingOptions, 'naming'>;
  readonly backend: Pick<BackendOptions, 'encryptionProviderConfig' | 'encryptionProviderConfigAutomaticReload'>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Opens encryption at rest as the options say; undefined where nothing is encrypted.
 * @throws Error that names the fault of the file
 */
export async function openEncryption({
  serving,
  backend,
  metrics,
  logger,
}: EncryptionParts): Promise<Encryption | undefined> {
  const file = backend.encryptionProviderConfig;
  // The metrics exist where nothing is encrypted, too.
  const observer = encryptionMetrics(metrics);
  if (file === undefined) return undefined;
  return Encryption.open({
    file,
    reloads: backend.encryptionProviderConfigAutomaticReload,
    names: { events: namesOf(serving.naming).group('events.orch.io') },
    bodies: ownersApart,
    observer,
    onReload: (failed) => observer.reloaded(failed),
    logger,
  });
}

/** The store, encrypted. Without keys too, as what others have encrypted must not be taken for bodies. */
export function encrypted(
  store: ServingStore,
  encryption: Encryption | undefined,
  { metrics, logger }: Pick<EncryptionParts, 'metrics' | 'logger'>,
): SealedStore {
  return new SealedStore(store, encryption ?? NO_CIPHER, {
    unreadableHistory: (error) => logger.error('history could not be read', error),
    leftOut: leftOutObjects(metrics),
  });
}
