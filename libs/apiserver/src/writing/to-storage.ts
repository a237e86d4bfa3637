import type { ApiObject } from '@orch/machinery';
import { applyDefaults } from '@orch/schema';
import type { Endpoint } from '../served/endpoint.js';

/** Defaults apply in the version that was sent and again in the one that is stored. */
export function toStorage(endpoint: Endpoint, served: ApiObject): ApiObject {
  applyDefaults(endpoint.definition.schema, served);
  endpoint.rules.defaults(served);
  if (!endpoint.conversion) return served;
  const object = endpoint.conversion.toStorage(served);
  applyDefaults(endpoint.storage.schema, object);
  endpoint.storageRules.defaults(object);
  return object;
}
