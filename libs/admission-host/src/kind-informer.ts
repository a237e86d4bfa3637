import type { FollowedObjects } from '@orch/admission';
import { ResourceInformer, type ResourceInformerSource } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored } from '@orch/resources';

/** All objects of a built-in kind in the version that is stored. */
export class KindInformer extends ResourceInformer<ApiObject> implements FollowedObjects {
  /** Resolves when all are known. */
  follow(endpoint: Endpoint, source: Omit<ResourceInformerSource<ApiObject>, 'type' | 'read'>): Promise<void> {
    return this.start({ ...source, type: endpoint.type, read: (row) => fromStored(row, endpoint) });
  }
}
