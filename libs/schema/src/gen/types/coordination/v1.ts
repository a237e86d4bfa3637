// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Says who holds something and until when: leaders of controllers, heartbeats of nodes. */
export interface Lease {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: LeaseSpec;
}

/** A collection of Lease objects. */
export interface LeaseList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Lease[];
}

/** Who holds a lease and since when. */
export interface LeaseSpec {
  /** Who holds the lease. Unset: nobody. */
  holderIdentity?: string;
  /** Seconds after the last renewal when others may take the lease; above 0. */
  leaseDurationSeconds?: number;
  /** When the present holder took the lease. */
  acquireTime?: string;
  /** When the present holder last renewed the lease. */
  renewTime?: string;
  /** How often the lease has passed from one holder to another. */
  leaseTransitions?: number;
}
