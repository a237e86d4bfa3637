import type { ApiObject } from '@orch/machinery';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { objectsAt } from '../values/fields.js';

export const serviceAccount: KindDeclaration = {
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  row: (object) => ({ Secrets: objectsAt(object, 'secrets').length }),
};

/** Secrets are those of the account's own namespace, whatever else is said of them. */
function keepNamesOfSecrets(object: ApiObject): void {
  if (!Array.isArray(object.secrets)) return;
  object.secrets = objectsAt(object, 'secrets').map(({ name }) => (name === undefined ? {} : { name }));
}
