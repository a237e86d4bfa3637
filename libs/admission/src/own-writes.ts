import type { ApiObject } from '@orch/machinery';
import type { KnownResource } from './known-objects.js';

/** What plugins write as the server itself. Admission is asked about it like about any write. */
export interface OwnWrites {
  /**
   * Makes an object.
   * @param object in the version that is stored, with its name and namespace
   * @param deadline monotonic milliseconds, that of the request that it is made for
   * @returns the object as it is then; the one that is there already where there is one
   * @throws StatusError
   */
  create(resource: KnownResource, object: ApiObject, deadline: number): Promise<ApiObject>;
}
