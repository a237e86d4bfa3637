// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Address ranges that nodes get their pod addresses from. */
export interface ClusterCIDR {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ClusterCIDRSpec;
}

/** A collection of ClusterCIDR objects. */
export interface ClusterCIDRList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ClusterCIDR[];
}

/** One address in use, and what uses it. */
export interface IPAddress {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: IPAddressSpec;
}

/** A collection of IPAddress objects. */
export interface IPAddressList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: IPAddress[];
}

/** Ranges of addresses and the nodes that draw from them. */
export interface ClusterCIDRSpec {
  /** The nodes that draw from the ranges. Unset: all. Cannot be changed. */
  nodeSelector?: core_v1.NodeSelector;
  /** Each node gets 2 to this power of addresses; at least 4. Cannot be changed. */
  perNodeHostBits?: number;
  /** Range of IPv4 addresses, such as "10.0.0.0/8". This or ipv6 must be set. Cannot be changed. */
  ipv4?: string;
  /** Range of IPv6 addresses, such as "2001:db8::/64". This or ipv4 must be set. Cannot be changed. */
  ipv6?: string;
}

/** What uses an address. The address is the name of the object. */
export interface IPAddressSpec {
  /** The object that uses the address. Required; cannot be changed. */
  parentRef?: ParentReference;
}

/** Names an object that uses an address. */
export interface ParentReference {
  /** Group of the object; empty for the core group. */
  group?: string;
  /** Plural name of the object's resource. */
  resource?: string;
  /** Namespace of the object; empty for cluster-scoped objects. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** Uid of the object. */
  uid?: string;
}
