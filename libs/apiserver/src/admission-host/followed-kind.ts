import type { FollowedObjects } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import { type FollowedSource, FollowedType } from '../informers/followed-type.js';
import type { Endpoint } from '../resources/served/endpoint.js';
import { fromStored } from '../resources/stored/stored-body.js';

/** All objects of a built-in kind in the version that is stored. */
export class FollowedKind extends FollowedType<ApiObject> implements FollowedObjects {
  /** Resolves when all are known. */
  follow(endpoint: Endpoint, source: Omit<FollowedSource<ApiObject>, 'type' | 'read'>): Promise<void> {
    return this.start({ ...source, type: endpoint.type, read: (row) => fromStored(row, endpoint) });
  }
}
