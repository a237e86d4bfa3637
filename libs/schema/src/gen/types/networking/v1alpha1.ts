// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Address ranges that nodes get their pod addresses from. */
export interface ClusterCIDR {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ClusterCIDRSpec;
}

/** A collection of ClusterCIDR objects. */
export interface ClusterCIDRList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterCIDR[];
}

/** One address in use, and what uses it. */
export interface IPAddress {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: IPAddressSpec;
}

/** A collection of IPAddress objects. */
export interface IPAddressList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: IPAddress[];
}

export interface ClusterCIDRSpec {
  nodeSelector?: core_v1.NodeSelector;
  perNodeHostBits?: number;
  ipv4?: string;
  ipv6?: string;
}

export interface IPAddressSpec {
  parentRef?: ParentReference;
}

export interface ParentReference {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
}
