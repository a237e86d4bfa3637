import type { ApiObject } from '@orch/machinery';
import type { KnownResource } from './known-objects.js';

/** Writes that plugins make as the server itself. They pass admission like any other write. */
export interface ServerWriter {
  /**
   * Creates an object.
   * @param object in the storage version, with its name and namespace
   * @param deadline monotonic milliseconds, that of the request that it is created for
   * @returns the created object, or the existing one of the same name
   * @throws StatusError
   */
  create(resource: KnownResource, object: ApiObject, deadline: number): Promise<ApiObject>;
}
