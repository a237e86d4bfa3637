// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** A group with everything that is served in it. It is named after the group. */
export interface APIGroupDiscovery {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The versions, the preferred first. */
  versions?: APIVersionDiscovery[];
}

/** A collection of APIGroupDiscovery objects. */
export interface APIGroupDiscoveryList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: APIGroupDiscovery[];
}

/** One resource and what can be done with it. */
export interface APIResourceDiscovery {
  /** Plural name as it stands in paths. */
  resource?: string;
  /** Kind of the objects returned. Empty parts: as for the version that holds this entry. */
  responseKind?: meta_v1.GroupVersionKind;
  /** Cluster or Namespaced. */
  scope?: string;
  /** Name of one object as clients may let people type it. */
  singularResource?: string;
  /** The verbs it answers. */
  verbs?: string[];
  /** Abbreviations that clients may accept for the name. */
  shortNames?: string[];
  /** Groupings that it belongs to, such as "all". */
  categories?: string[];
  /** Its subresources. */
  subresources?: APISubresourceDiscovery[];
}

/** One subresource and what can be done with it. */
export interface APISubresourceDiscovery {
  /** Name of the subresource, without that of the resource. */
  subresource?: string;
  /** Kind of what is returned. Unset: no object is. */
  responseKind?: meta_v1.GroupVersionKind;
  /** Kinds that may be sent. Unset: nothing is sent. */
  acceptedTypes?: meta_v1.GroupVersionKind[];
  /** The verbs it answers. */
  verbs?: string[];
}

/** A version with everything that is served in it. */
export interface APIVersionDiscovery {
  /** The version, such as v1. */
  version?: string;
  /** The resources of the version. */
  resources?: APIResourceDiscovery[];
  /** Current, or Stale when the server that answers for it could not be asked just now. */
  freshness?: string;
}
