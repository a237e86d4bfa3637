// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A part of the addresses that stand behind a service. */
export interface EndpointSlice {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  addressType?: "FQDN";
  endpoints?: Endpoint[];
  ports?: EndpointPort[];
}

/** A collection of EndpointSlice objects. */
export interface EndpointSliceList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: EndpointSlice[];
}

export interface Endpoint {
  addresses?: string[];
  /** Observed conditions. */
  conditions?: EndpointConditions;
  hostname?: string;
  targetRef?: core_v1.ObjectReference;
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: EndpointHints;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forZones?: ForZone[];
}

export interface EndpointPort {
  name?: string;
  protocol?: "SCTP" | "TCP" | "UDP";
  port?: number;
  appProtocol?: string;
}

export interface ForZone {
  name?: string;
}
