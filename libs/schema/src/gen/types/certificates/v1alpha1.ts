// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Root certificates for pods to trust. */
export interface ClusterTrustBundle {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ClusterTrustBundleSpec;
}

/** A collection of ClusterTrustBundle objects. */
export interface ClusterTrustBundleList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterTrustBundle[];
}

/** Root certificates and whom they belong to. */
export interface ClusterTrustBundleSpec {
  /** The signer that the certificates belong to; the object's name must begin with it, its "/" written as ":". Unset: no signer. Cannot be changed. */
  signerName?: string;
  /** X.509 certificates as PEM, at least one; their order has no meaning. */
  trustBundle?: string;
}
