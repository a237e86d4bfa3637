import type { ServiceAccount } from '@orch/schema/types/core/v1';
import type { KindDeclaration } from '../rules/kind-rules.js';

/** Rules of ServiceAccount; references to secrets keep only names. */
export const serviceAccount: KindDeclaration<ServiceAccount> = {
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  row: (object) => ({ Secrets: (object.secrets ?? []).length }),
};

/** Keeps only the names of the secrets, which are always in the account's own namespace. */
function keepNamesOfSecrets(object: ServiceAccount): void {
  if (!Array.isArray(object.secrets)) return;
  object.secrets = (object.secrets ?? []).map(({ name }) => (name === undefined ? {} : { name }));
}
