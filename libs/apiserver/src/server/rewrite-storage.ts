import { Encryption, encryptionOptions } from '@orch/encryption';
import { namesOf } from '@orch/machinery';
import { ownersApart } from '@orch/resources';
import { defineOptions, type Logger } from '@orch/runtime';
import { type RewriteOrder, type Rewritten, rewriteBodies } from '@orch/storage';
import { storeAt } from './backends.js';
import { backendOptions, servingOptions } from './options.js';

/** Options of who rewrites what is stored, as servers have them; where the state is, and what it is encrypted with. */
export const rewritingOptions = {
  'postgres-url': { ...backendOptions['postgres-url'], required: true },
  'postgres-pooling': backendOptions['postgres-pooling'],
  'storage-override': backendOptions['storage-override'],
  naming: servingOptions.naming,
  'encryption-provider-config': { ...encryptionOptions['encryption-provider-config'], required: true },
} as const;

/** What is rewritten, and who hears of it. */
export interface StorageRewriting
  extends Pick<RewriteOrder, 'rate' | 'looksOnly' | 'stopped' | 'onProgress' | 'onUnreadable'> {
  /** Values of {@link rewritingOptions}. */
  readonly values: {
    readonly postgresUrl: string;
    readonly postgresPooling: 'session' | 'transaction';
    readonly storageOverride: readonly string[];
    readonly naming: 'orch' | 'kubernetes';
    readonly encryptionProviderConfig: string;
  };
  /** Hears of key management services that are not well, and of what wildcards leave out. */
  readonly logger: Logger;
}

/**
 * Writes every object anew that is encrypted otherwise than the configuration says, beside servers that go on.
 * @throws Error for a configuration that cannot be used, a key management service that is not well, and a database that is not to be had
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
