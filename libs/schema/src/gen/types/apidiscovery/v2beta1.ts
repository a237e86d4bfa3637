// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

export interface APIGroupDiscovery {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  versions?: APIVersionDiscovery[];
}

/** A collection of APIGroupDiscovery objects. */
export interface APIGroupDiscoveryList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource?: string;
  responseKind?: meta_v1.GroupVersionKind;
  scope?: string;
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

export interface APISubresourceDiscovery {
  subresource?: string;
  responseKind?: meta_v1.GroupVersionKind;
  acceptedTypes?: meta_v1.GroupVersionKind[];
  verbs?: string[];
}

export interface APIVersionDiscovery {
  version?: string;
  resources?: APIResourceDiscovery[];
  freshness?: string;
}
