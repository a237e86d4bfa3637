import { Encryption, encryptionOptions } from '@orch/encryption';
import { namesOf } from '@orch/machinery';
import { ownersApart } from '@orch/resources';
import { defineOptions, type Logger } from '@orch/runtime';
import { type RewriteOrder, type Rewritten, rewriteBodies } from '@orch/storage';
import { storeAt } from './backends.js';
import { backendOptions, servingOptions } from './options.js';

/** Options of the rewriting of stored objects, a subset of the servers' options: the databases and the encryption. */
export const rewritingOptions = {
  'postgres-url': { ...backendOptions['postgres-url'], required: true },
  'postgres-pooling': backendOptions['postgres-pooling'],
  'storage-override': backendOptions['storage-override'],
  naming: servingOptions.naming,
  'encryption-provider-config': { ...encryptionOptions['encryption-provider-config'], required: true },
} as const;

/** Parameters and callbacks of a rewriting of stored objects. */
export interface StorageRewriting
  extends Pick<RewriteOrder, 'rate' | 'dryRun' | 'stopped' | 'onProgress' | 'onUnreadable'> {
  /** Values of {@link rewritingOptions}. */
  readonly values: {
    readonly postgresUrl: string;
    readonly postgresPooling: 'session' | 'transaction';
    readonly storageOverride: readonly string[];
    readonly naming: 'orch' | 'kubernetes';
    readonly encryptionProviderConfig: string;
  };
  /** Logs key management services that are not healthy, and types that wildcards leave out. */
  readonly logger: Logger;
}

/**
 * Rewrites every object whose encryption differs from what the configuration says, while servers go on.
 * @throws Error for a configuration that cannot be used, a key management service that is not healthy, and a database
 * that is not available
 */
export async function rewriteStorage({ values, logger, ...order }: StorageRewriting): Promise<Rewritten> {
  const { naming, encryptionProviderConfig: file } = values;
  const encryption = await Encryption.open({
    ...{ file, reloads: false, logger, bodies: ownersApart, observer: {} },
    names: { events: namesOf(naming).group('events.orch.io') },
  });
  try {
    await encryption.check();
    const backend = { ...defineOptions(backendOptions).parse([], {}).values, ...values, migrate: false };
    const store = await storeAt(values.postgresUrl, { naming }, backend, { observer: {}, mayOnlyRead: false });
    try {
      return await rewriteBodies({ ...order, store, cipher: encryption, types: await store.types() });
    } finally {
      await store.close();
    }
  } finally {
    encryption.close();
  }
}
