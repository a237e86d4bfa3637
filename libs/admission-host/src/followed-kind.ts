import type { FollowedObjects } from '@orch/admission';
import { type FollowedSource, FollowedType } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored } from '@orch/resources';

/** All objects of a built-in kind in the version that is stored. */
export class FollowedKind extends FollowedType<ApiObject> implements FollowedObjects {
  /** Resolves when all are known. */
  follow(endpoint: Endpoint, source: Omit<FollowedSource<ApiObject>, 'type' | 'read'>): Promise<void> {
    return this.start({ ...source, type: endpoint.type, read: (row) => fromStored(row, endpoint) });
  }
}
